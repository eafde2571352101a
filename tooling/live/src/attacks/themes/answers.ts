import type { Outcome } from "../Attack.ts"
import type { Answer } from "../Target.ts"

const QUOTED = 140

/** The message of a Status, or the first of what was answered. */
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

/** Whether it is an answer, and none that blames the server. */
export const isAnswered = ({ code }: Answer): boolean => code >= 200 && code < 500

/** Of several answers: what the slowest was told, and whether all are answers. */
export const outcomeOf = (answers: ReadonlyArray<readonly [what: string, answer: Answer]>): Outcome => ({
  seen: answers.map(([what, answer]) => `${what} ${toldOf(answer)}`).join("; "),
  holds: answers.every(([, answer]) => isAnswered(answer))
})
