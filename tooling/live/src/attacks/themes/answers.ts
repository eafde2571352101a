import type { Outcome } from "../Attack.ts"
import type { Answer } from "../Target.ts"

const QUOTED = 140

/** Returns the message of a Status, or the start of the body. */
export const messageOf = ({ body }: Answer): string => {
  try {
    const { kind, message } = JSON.parse(body) as { readonly kind?: string; readonly message?: string }
    return kind === "Status" ? (message ?? "").slice(0, QUOTED).replaceAll("\n", " ") : (kind ?? "")
  } catch {
    return body.slice(0, QUOTED)
  }
}

export const toldOf = (answer: Answer): string =>
  `${answer.code} in ${Math.round(answer.tookMs)} ms ${messageOf(answer)}`

/** Whether a response was received that is not a 5xx. */
export const isAnswered = ({ code }: Answer): boolean => code >= 200 && code < 500

/** Combines several responses: shows the slowest, and holds if each was answered. */
export const outcomeOf = (answers: ReadonlyArray<readonly [what: string, answer: Answer]>): Outcome => ({
  seen: answers.map(([what, answer]) => `${what} ${toldOf(answer)}`).join("; "),
  holds: answers.every(([, answer]) => isAnswered(answer))
})
