/** For editors: what `joey` is in a file of custom tools. Joey itself needs none of it. */
declare module "joey" {
  import type { z } from "zod"

  export { z as parametersSchema } from "zod"

  export interface CustomToolContext {
    /** The slug of the mode. */
    mode: string
    /** Where the tool runs, absolute. */
    workspace: string
    task: { taskId: string; cwd: string; workspacePath: string }
  }

  export interface CustomTool<Parameters extends z.ZodType> {
    name: string
    description: string
    parameters?: Parameters
    execute(args: z.output<Parameters>, context: CustomToolContext): unknown
  }

  export function defineCustomTool<Parameters extends z.ZodType>(tool: CustomTool<Parameters>): CustomTool<Parameters>
}
