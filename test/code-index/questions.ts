/**
 * Questions in plain words over real packages, each with the place that answers it. The answers were written from the packages' own symbols
 * and code, before anything was searched. Every second question is held out: no weight was tuned with those.
 */

export interface CodeQuestion {
  words: string
  /** Any of these answers it: file from the corpus, and the symbol defined there. */
  answers: { file: string; symbol: string }[]
}

/** Folders of node_modules that hold readable sources; what builds of the same sources repeat is left out. */
export const CORPUS: readonly string[] = [
  ..."zod/src/v4 yaml/browser/dist ignore/index.js jsonc-parser/lib/esm diff/libesm hono/dist express/lib".split(" "),
  ..."body-parser/lib qs/lib send/index.js router/index.js router/lib cookie/index.js".split(" "),
  ..."range-parser/index.js proxy-addr/index.js finalhandler/index.js serve-static/index.js negotiator/lib".split(" "),
  ..."cross-spawn/lib commander/lib postcss/lib picomatch/lib fast-uri/index.js fast-uri/lib".split(" "),
  ..."iconv-lite/lib iconv-lite/encodings eventsource-parser/src jszip/lib mammoth/lib path-to-regexp/dist".split(" "),
  ..."ajv/lib jose/dist undici/lib object-inspect/index.js".split(" "),
]

function ask(words: string, ...places: string[]): CodeQuestion {
  return {
    words,
    answers: places.map((place) => {
      const [file = "", symbol = ""] = place.split("#")
      return { file, symbol }
    }),
  }
}

export const QUESTIONS: readonly CodeQuestion[] = [
  ask("how are similar command names suggested after a typo", "commander/lib/suggestSimilar.js#suggestSimilar"),
  ask("where is the edit distance between two words computed", "commander/lib/suggestSimilar.js#editDistance"),
  ask("wrap long help text to the width of the terminal", "commander/lib/help.js#boxWrap"),
  ask("take option values from environment variables", "commander/lib/command.js#_parseOptionsEnv"),
  ask("launch an external executable for a subcommand", "commander/lib/command.js#_executeSubCommand"),
  ask(
    "complain when two options that exclude each other are both given",
    "commander/lib/command.js#_conflictingOption",
    "commander/lib/command.js#_checkForConflictingLocalOptions",
  ),
  ask(
    "turn a flag like --dry-run into a camel case property name",
    "commander/lib/option.js#attributeName",
    "commander/lib/option.js#camelcase",
  ),
  ask("decide whether colored output should be used", "commander/lib/command.js#useColor"),
  ask("find out the real client address behind trusted proxies", "proxy-addr/index.js#proxyaddr"),
  ask("parse CIDR notation of an ip range", "proxy-addr/index.js#parseipNotation"),
  ask("merge overlapping byte ranges of a Range header", "range-parser/index.js#combineRanges"),
  ask("set a cookie with expiry and same site attribute on the response of express", "express/lib/response.js#cookie"),
  ask("look up the file of a view template in several root folders", "express/lib/view.js#lookup"),
  ask("send a file as an attachment for download", "express/lib/response.js#download"),
  ask("pick the response handler by the Accept header of the request", "express/lib/response.js#format"),
  ask("compile the trust proxy setting to a function", "express/lib/utils.js#compileTrust"),
  ask("reject a request body that has more parameters than allowed", "body-parser/lib/types/urlencoded.js#parameterCount"),
  ask("inflate a gzip or brotli compressed request body", "body-parser/lib/read.js#createDecompressionStream"),
  ask(
    "error for JSON body that is not an object or array in strict mode",
    "body-parser/lib/types/json.js#createStrictSyntaxError",
  ),
  ask("is the cached copy of the client still fresh when serving a static file", "send/index.js#isFresh"),
  ask("hide files whose name begins with a dot when serving static files", "send/index.js#containsDotFile"),
  ask(
    "redirect a request for a directory to the path with a trailing slash",
    "send/index.js#redirect",
    "serve-static/index.js#createRedirectDirectoryListener",
  ),
  ask(
    "answer OPTIONS requests automatically with the allowed methods",
    "router/index.js#sendOptionsResponse",
    "router/index.js#generateOptionsResponder",
    "router/index.js#trySendOptionsResponse",
  ),
  ask("run the param callbacks before a route handler", "router/index.js#processParams"),
  ask(
    "write the error page for an unhandled exception of a request",
    "finalhandler/index.js#createHtmlDocument",
    "finalhandler/index.js#finalhandler",
    "finalhandler/index.js#getErrorMessage",
  ),
  ask(
    "choose the best language for an Accept-Language header by quality",
    "negotiator/lib/language.js#preferredLanguages",
    "negotiator/lib/language.js#getLanguagePriority",
  ),
  ask(
    "read the first line of a script to see which interpreter runs it",
    "cross-spawn/lib/util/readShebang.js#readShebang",
    "cross-spawn/lib/parse.js#detectShebang",
  ),
  ask("escape an argument for the windows command shell", "cross-spawn/lib/util/escape.js#escapeArgument"),
  ask(
    "does a gitignore pattern match this path",
    "ignore/index.js#test",
    "ignore/index.js#_test",
    "ignore/index.js#ignores",
    "ignore/index.js#checkIgnore",
  ),
  ask(
    "remove a property from JSON text while keeping comments",
    "jsonc-parser/lib/esm/impl/edit.js#removeProperty",
    "jsonc-parser/lib/esm/impl/edit.js#setProperty",
  ),
  ask("strip comments out of a JSON document", "jsonc-parser/lib/esm/impl/parser.js#stripComments"),
  ask(
    "which node of the JSON tree is at a cursor offset",
    "jsonc-parser/lib/esm/impl/parser.js#findNodeAtOffset",
    "jsonc-parser/lib/esm/impl/parser.js#getLocation",
  ),
  ask(
    "detect the indentation of an existing JSON file when formatting",
    "jsonc-parser/lib/esm/impl/format.js#computeIndentLevel",
  ),
  ask(
    "apply a unified diff to a text with fuzzy matching of context lines",
    "diff/libesm/patch/apply.js#applyPatch",
    "diff/libesm/patch/apply.js#applyStructuredPatch",
  ),
  ask("invert a patch so that it undoes the change", "diff/libesm/patch/reverse.js#reversePatch"),
  ask("split text into sentences to compare them", "diff/libesm/diff/sentence.js#tokenize"),
  ask("convert the line endings of a patch from unix to windows", "diff/libesm/patch/line-endings.js#unixToWin"),
  ask(
    "compare two objects by their canonical JSON with sorted keys",
    "diff/libesm/diff/json.js#canonicalize",
    "diff/libesm/diff/json.js#diffJson",
  ),
  ask(
    "sign a cookie value with a secret and check the signature",
    "hono/dist/utils/cookie.js#verifySignature",
    "hono/dist/utils/cookie.js#makeSignature",
    "hono/dist/utils/cookie.js#parseSigned",
  ),
  ask("middleware that refuses requests whose body is larger than a limit", "hono/dist/middleware/body-limit/index.js#bodyLimit"),
  ask(
    "block clients by their ip address with allow and deny lists",
    "hono/dist/middleware/ip-restriction/index.js#ipRestriction",
    "hono/dist/middleware/ip-restriction/index.js#buildMatcher",
  ),
  ask("protection against cross site request forgery", "hono/dist/middleware/csrf/index.js#csrf"),
  ask("send server sent events to the browser as a stream", "hono/dist/helper/streaming/sse.js#streamSSE"),
  ask(
    "build the content security policy header out of directives",
    "hono/dist/middleware/secure-headers/secure-headers.js#getCSPDirectives",
  ),
  ask(
    "forward an incoming request to another server and drop hop by hop headers",
    "hono/dist/helper/proxy/index.js#proxy",
    "hono/dist/helper/proxy/index.js#buildRequestInitFromRequest",
  ),
  ask(
    "generate static html files from all routes of the app",
    "hono/dist/helper/ssg/ssg.js#toSSG",
    "hono/dist/helper/ssg/ssg.js#fetchRoutesContent",
  ),
  ask("which javascript runtime is the code running on: node, deno or bun", "hono/dist/helper/adapter/index.js#getRuntimeKey"),
  ask("print all registered routes to the console", "hono/dist/helper/dev/index.js#showRoutes"),
  ask("limit how many asynchronous tasks run at the same time", "hono/dist/utils/concurrent.js#createPool"),
  ask(
    "retry a failed request after the time the server asked for",
    "undici/lib/handler/retry-handler.js#RetryHandler",
    "undici/lib/handler/retry-handler.js#calculateRetryAfterHeader",
  ),
  ask(
    "follow redirects and drop credentials when the origin changes",
    "undici/lib/handler/redirect-handler.js#RedirectHandler",
    "undici/lib/handler/redirect-handler.js#shouldRemoveHeader",
    "undici/lib/handler/redirect-handler.js#cleanRequestHeaders",
  ),
  ask("should a response be stored in the http cache", "undici/lib/handler/cache-handler.js#canCacheResponse"),
  ask("when does a cached response become stale", "undici/lib/handler/cache-handler.js#determineStaleAt"),
  ask("parse the Cache-Control header into directives", "undici/lib/util/cache.js#parseCacheControlHeader"),
  ask("parse a date from an http header in the old RFC 850 form", "undici/lib/util/date.js#parseRfc850Date"),
  ask("cheap timers with low resolution for timeouts", "undici/lib/util/timers.js#FastTimer"),
  ask(
    "choose the upstream with weighted round robin in a balanced pool",
    "undici/lib/dispatcher/balanced-pool.js#BalancedPool",
    "undici/lib/dispatcher/balanced-pool.js#kGetDispatcher",
    "undici/lib/dispatcher/balanced-pool.js#getGreatestCommonDivisor",
  ),
  ask(
    "which hosts bypass the proxy according to NO_PROXY",
    "undici/lib/dispatcher/env-http-proxy-agent.js#EnvHttpProxyAgent",
    "undici/lib/dispatcher/env-http-proxy-agent.js#shouldProxy",
  ),
  ask(
    "record real http responses and play them back in tests",
    "undici/lib/mock/snapshot-agent.js#SnapshotAgent",
    "undici/lib/mock/snapshot-recorder.js#SnapshotRecorder",
  ),
  ask(
    "cache the result of name resolution for hosts",
    "undici/lib/interceptor/dns.js#DNSInstance",
    "undici/lib/interceptor/dns.js#DNSStorage",
  ),
  ask("validate characters of a cookie name", "undici/lib/web/cookies/util.js#validateCookieName"),
  ask("decode a data: url", "undici/lib/web/fetch/data-url.js#dataURLProcessor"),
  ask(
    "check the integrity hash of a fetched resource",
    "undici/lib/web/subresource-integrity/subresource-integrity.js#bytesMatch",
  ),
  ask("parse multipart form data of a body", "undici/lib/web/fetch/formdata-parser.js#multipartFormDataParser"),
  ask("fold a long yaml string over several lines", "yaml/browser/dist/stringify/foldFlowLines.js#foldFlowLines"),
  ask(
    "resolve the merge key << in yaml maps",
    "yaml/browser/dist/schema/yaml-1.1/merge.js#addMergeToJSMap",
    "yaml/browser/dist/schema/yaml-1.1/merge.js#mergeValue",
  ),
  ask(
    "make up an unused anchor name for a repeated yaml node",
    "yaml/browser/dist/doc/anchors.js#findNewAnchor",
    "yaml/browser/dist/doc/anchors.js#createNodeAnchors",
  ),
  ask(
    "line and column of a character offset in a yaml source",
    "yaml/browser/dist/parse/line-counter.js#LineCounter",
    "yaml/browser/dist/parse/line-counter.js#linePos",
  ),
  ask("add the source line with a caret to a yaml parse error", "yaml/browser/dist/errors.js#prettifyError"),
  ask(
    "protect against exponential expansion of yaml aliases",
    "yaml/browser/dist/nodes/Alias.js#getAliasCount",
    "yaml/browser/dist/nodes/Alias.js#toJSON",
  ),
  ask("remainder of floating point numbers for multiple of checks", "zod/src/v4/core/util.ts#floatSafeRemainder"),
  ask("turn validation issues into a readable multi line message", "zod/src/v4/core/errors.ts#prettifyError"),
  ask(
    "convert a zod schema to JSON Schema",
    "zod/src/v4/core/to-json-schema.ts#toJSONSchema",
    "zod/src/v4/core/json-schema-processors.ts#toJSONSchema",
    "zod/src/v4/core/to-json-schema.ts#processSchema",
  ),
  ask("build a zod schema out of a JSON Schema document", "zod/src/v4/classic/from-json-schema.ts#fromJSONSchema"),
  ask("make every nested property of an object schema optional", "zod/src/v4/classic/deep-partial.ts#deepPartial"),
  ask(
    "coerce data to the type that the JSON schema wants",
    "ajv/lib/compile/validate/dataType.ts#coerceData",
    "ajv/lib/compile/validate/dataType.ts#coerceAndCheckDataType",
  ),
  ask(
    "fill in default values of missing properties during validation",
    "ajv/lib/compile/validate/defaults.ts#assignDefaults",
    "ajv/lib/compile/validate/defaults.ts#assignDefault",
  ),
  ask("resolve a $ref to another schema", "ajv/lib/compile/index.ts#resolveRef", "ajv/lib/compile/index.ts#resolveSchema"),
  ask(
    "length of a string in unicode code points",
    "ajv/lib/runtime/ucs2length.ts#ucs2length",
    "zod/src/v4/core/util.ts#codePointLength",
  ),
  ask("check that all items of an array are different", "ajv/lib/vocabularies/validation/uniqueItems.ts#validateUniqueItems"),
  ask("save compiled validators as source code of a module", "ajv/lib/standalone/index.ts#standaloneCode"),
  ask(
    "fetch the public keys of an identity provider and cache them",
    "jose/dist/webapi/jwks/remote.js#createRemoteJWKSet",
    "jose/dist/webapi/jwks/remote.js#fetchJwks",
  ),
  ask("check expiration and audience of token claims", "jose/dist/webapi/lib/jwt_claims_set.js#validateClaimsSet"),
  ask("fingerprint of a json web key", "jose/dist/webapi/jwk/thumbprint.js#calculateJwkThumbprint"),
  ask("compare two byte arrays in constant time", "jose/dist/webapi/lib/content_encryption.js#timingSafeEqual"),
  ask("remove . and .. segments from the path of a uri", "fast-uri/lib/utils.js#removeDotSegments"),
  ask("shorten an ipv6 address by its longest run of zeros", "fast-uri/lib/utils.js#compressIPv6ZeroRun"),
  ask("resolve a relative uri against a base", "fast-uri/index.js#resolveComponent", "fast-uri/index.js#resolve"),
  ask("find the static parent folder of a glob pattern", "picomatch/lib/scan.js#scan"),
  ask("guess whether bytes are little or big endian utf-16", "iconv-lite/encodings/utf16.js#detectEncoding"),
  ask("remove the byte order mark from the beginning of decoded text", "iconv-lite/lib/bom-handling.js#StripBOMWrapper"),
  ask("checksum of zip entries", "jszip/lib/crc32.js#crc32", "jszip/lib/load.js#checkEntryCRC32"),
  ask(
    "read the central directory at the end of a zip archive",
    "jszip/lib/zipEntries.js#readCentralDir",
    "jszip/lib/zipEntries.js#readEndOfCentral",
    "jszip/lib/zipEntries.js#readBlockEndOfCentral",
    "jszip/lib/zipEntries.js#ZipEntries",
  ),
  ask(
    "turn a word document into markdown",
    "mammoth/lib/index.js#convertToMarkdown",
    "mammoth/lib/writers/markdown-writer.js#markdownWriter",
  ),
  ask(
    "list numbering of word paragraphs",
    "mammoth/lib/docx/body-reader.js#readNumberingProperties",
    "mammoth/lib/docx/numbering-xml.js#readNumberingXml",
    "mammoth/lib/docx/numbering-xml.js#Numbering",
  ),
  ask("drop empty html elements from the output", "mammoth/lib/html/simplify.js#removeEmpty"),
  ask(
    "compile a route path like /user/:id to a regular expression",
    "path-to-regexp/dist/index.js#pathToRegexp",
    "path-to-regexp/dist/index.js#toRegExpSource",
  ),
  ask("serialize nested objects and arrays into a query string", "qs/lib/stringify.js#stringify"),
  ask(
    "parse the next line of an event stream into fields",
    "eventsource-parser/src/parse.ts#parseLine",
    "eventsource-parser/src/parse.ts#processField",
  ),
  ask("show the source code around a css syntax error", "postcss/lib/css-syntax-error.js#showSourceCode"),
  ask("split a css value by commas outside of brackets and quotes", "postcss/lib/list.js#split", "postcss/lib/list.js#comma"),
  ask(
    "load the previous source map from an inline annotation",
    "postcss/lib/previous-map.js#PreviousMap",
    "postcss/lib/previous-map.js#loadMap",
    "postcss/lib/previous-map.js#loadAnnotation",
  ),
]
