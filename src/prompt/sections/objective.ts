/** How a task goes from words to an accepted result. */
import type { Section } from "../system.ts"

export const objective: Section = ({ tools }) => {
  const has = (name: string) => tools.includes(name)
  const todos = has("update_todo_list") ? " For work of more than a few steps keep a todo list and update it as you go." : ""
  const proof = has("execute_command")
    ? "Prove the result: run the test, the build or the program wherever there is one. Say so plainly if you could not."
    : "Check the result against what you have seen, and say plainly what you could not check."
  const end = has("attempt_completion")
    ? "Hand in the result with attempt_completion: what you did, how you checked it, what is left open. The person accepts it or sends you back with words."
    : "End with the result in plain words: what you did, how you checked it, what is left open."
  return `# How to work
1. Understand the task${has("read_file") ? "; look at the project first" : ""}.${todos}
2. Work step by step, and check each step by what the tools tell you.
3. ${proof}
4. ${end}`
}
