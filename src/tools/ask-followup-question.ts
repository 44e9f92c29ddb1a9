/** Asks the person a question and hands the answer to the model. */
import * as z from "zod"
import type { Content } from "../types/message.ts"
import type { Suggestion } from "../types/show.ts"
import type { Tool } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

export interface FollowupPort {
  /** Rejects when the question is overtaken by a cancel. */
  ask(question: { callKey: string; question: string; suggestions: Suggestion[] }): Promise<Content[]>
}

const MOST_SUGGESTIONS = 4
/** A person is to read this. */
const LONGEST_QUESTION = 10_000
const LONGEST_ANSWER = 2000

const suggestion = z.object({
  text: z.string().min(1).describe("A complete answer"),
  mode: z.string().nullable().optional().describe("Mode to switch to with it"),
})

const offered = z.object({
  question: z.string().min(1),
  follow_up: z.array(suggestion).min(1).max(MOST_SUGGESTIONS).describe("1-4 likely answers to choose from"),
})

/** Small models go round in circles over a required list: none is fine, plain texts are, and too many are cut. */
const accepted = z.object({
  question: offered.shape.question
    .refine((text) => text === "" || text.trim() !== "", "expected words, got only white space")
    .refine((text) => text.length <= LONGEST_QUESTION, `expected at most ${LONGEST_QUESTION} characters`),
  follow_up: z
    .array(z.preprocess((item) => (typeof item === "string" ? { text: item } : item), suggestion))
    .refine(
      (list) => list.every(({ text }) => text.length <= LONGEST_ANSWER),
      `expected answers of at most ${LONGEST_ANSWER} characters`,
    )
    .default([]),
})

export function askFollowupQuestion(port: FollowupPort): Tool<z.output<typeof accepted>> {
  return defineTool({
    name: "ask_followup_question",
    knownAs: [{ agent: "claude-code", name: "AskUserQuestion" }],
    group: "always",
    effect: "none",
    description: "Ask the person something you need to know and cannot find out yourself. Waits for the answer.",
    offered,
    input: accepted,
    // Answers still being written are no answers yet.
    preview: ({ question }) => ({ kind: "question", question: question ?? "", suggestions: [] }),
    async run({ question, follow_up }, { callKey }) {
      const suggestions = follow_up.slice(0, MOST_SUGGESTIONS).map(toSuggestion)
      const answer = await port.ask({ callKey, question, suggestions })
      return { say: answer, show: { kind: "question", question, suggestions } }
    },
  })
}

function toSuggestion({ text, mode }: z.output<typeof suggestion>): Suggestion {
  return mode ? { text, mode } : { text }
}
