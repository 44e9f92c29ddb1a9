/** JSON values, and the part of JSON Schema that tools use to describe their input. */

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export interface JsonSchema {
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  enum?: Json[]
  default?: Json
  anyOf?: JsonSchema[]
  [keyword: string]: unknown
}
