/**
 * Which grammar reads a file, and what counts as a symbol in it: data. In a query `@name` is the symbol's name and the other
 * capture its kind, as people read it.
 */

export interface Grammar {
  /** `tree-sitter-<name>.wasm` */
  name: string
  query: string
}

const FUNCTION_VALUE = "[(arrow_function) (function_expression) (generator_function)]"

const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: ${FUNCTION_VALUE}) @function
(variable_declarator name: (identifier) @name value: [(object) (array) (call_expression) (new_expression)]) @constant
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: (member_expression property: (_) @name) right: ${FUNCTION_VALUE}) @function
(assignment_expression left: (member_expression property: (_) @name) right: (class)) @class
(assignment_expression left: (identifier) @name right: ${FUNCTION_VALUE}) @function
(pair key: (_) @name value: ${FUNCTION_VALUE}) @method
(function_expression name: (_) @name) @function
`
const TYPED = `${SCRIPT}
(abstract_class_declaration name: (_) @name) @class
(public_field_definition name: (_) @name value: (arrow_function)) @method
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(function_signature name: (_) @name) @function
`

const GRAMMARS: readonly (Grammar & { extensions: string })[] = [
  {
    name: "javascript",
    extensions: "js cjs mjs jsx",
    query: `${SCRIPT}\n(field_definition property: (_) @name value: (arrow_function)) @method`,
  },
  { name: "typescript", extensions: "ts cts mts", query: TYPED },
  { name: "tsx", extensions: "tsx", query: TYPED },
  {
    name: "python",
    extensions: "py pyi",
    query: `(function_definition name: (_) @name) @function\n(class_definition name: (_) @name) @class`,
  },
  {
    name: "go",
    extensions: "go",
    query: `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name) @type`,
  },
  {
    name: "java",
    extensions: "java",
    query: `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method`,
  },
  {
    name: "rust",
    extensions: "rs",
    query: `
(function_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name) @module
(type_item name: (_) @name) @type
(macro_definition name: (_) @name) @macro`,
  },
  {
    name: "php",
    extensions: "php",
    query: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method`,
  },
  {
    name: "ruby",
    extensions: "rb rake",
    query: `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module`,
  },
  {
    name: "cpp",
    extensions: "c h cc cpp cxx hh hpp hxx",
    query: `
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @namespace`,
  },
  {
    name: "c-sharp",
    extensions: "cs",
    query: `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @struct
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @property`,
  },
  { name: "bash", extensions: "sh bash", query: "(function_definition name: (_) @name) @function" },
]

export const GRAMMAR_NAMES: readonly string[] = GRAMMARS.map(({ name }) => name)

export function grammarOf(path: string): Grammar | undefined {
  const extension = extensionOf(path)
  return extension === "" ? undefined : GRAMMARS.find(({ extensions }) => extensions.split(" ").includes(extension))
}

export function extensionOf(path: string): string {
  return /[^/]\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
}
