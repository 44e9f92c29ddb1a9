/** The names Roo's tools had over the years: only a tag with one of them was a call (S9). */

const NAMES = [
  ..."read_file write_to_file apply_diff insert_content search_and_replace replace_in_file search_replace edit_file".split(" "),
  ..."apply_patch search_files list_files list_code_definition_names codebase_search execute_command".split(" "),
  ..."read_command_output browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion".split(" "),
  ..."switch_mode new_task update_todo_list fetch_instructions run_slash_command generate_image".split(" "),
  ..."plan_mode_respond plan_mode_response load_mcp_documentation".split(" "),
]

export function isRooTool(name: string): boolean {
  return NAMES.includes(name)
}
