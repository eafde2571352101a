import type { Outcome } from "../Attack.ts"
import type { Answer } from "../Request.ts"

const MAX_MESSAGE_LENGTH = 140

/** Returns the message of a Status, or the start of the body. */
export const messageOf = ({ body }: Answer): string => {
  try {
    const { kind, message } = JSON.parse(body) as { readonly kind?: string; readonly message?: string }
    return kind === "Status" ? (message ?? "").slice(0, MAX_MESSAGE_LENGTH).replaceAll("\n", " ") : (kind ?? "")
  } catch {
    return body.slice(0, MAX_MESSAGE_LENGTH)
  }
}

/** Returns the status code, the time and the message of a response in one line. */
export const describeAnswer = (answer: Answer): string =>
  `${answer.code} in ${Math.round(answer.tookMs)} ms ${messageOf(answer)}`

/** Whether a response was received that is not a 5xx. */
export const isAnswered = ({ code }: Answer): boolean => code >= 200 && code < 500

/** Combines several responses: shows the slowest, and holds if each was answered. */
export const outcomeOf = (answers: ReadonlyArray<readonly [what: string, answer: Answer]>): Outcome => ({
  finding: answers.map(([what, answer]) => `${what} ${describeAnswer(answer)}`).join("; "),
  holds: answers.every(([, answer]) => isAnswered(answer))
})
