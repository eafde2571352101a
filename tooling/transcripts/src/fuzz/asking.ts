import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Answer, Ask, NoAnswer, Question } from "../Requests.ts"
import type { Target } from "../Target.ts"
import { difference, type Reduced, reduced, withoutSuffix } from "./difference.ts"
import { type Pairs, translated } from "./pairs.ts"
import { Revisions } from "./Revisions.ts"
import type { Step } from "./writes.ts"

export interface Side {
  readonly ask: Ask
  readonly target: Target
}

export type Sides = readonly [Side, Side]

export interface Finding {
  count: number
  readonly examples: Array<string>
}

/** What was asked so far, and what was answered differently. */
export class Findings {
  readonly found = new Map<string, Finding>()
  readonly examples: number
  /** Of the genuine server, and of ours. */
  readonly revisions = [new Revisions(), new Revisions()] as const
  sent = 0
  /** What was asked before the session. */
  before: ReadonlyArray<string> = []
  /** What the session asked before. */
  earlier: Array<string> = []

  constructor(examples: number) {
    this.examples = examples
  }

  note(key: string, step: Step, genuine: Reduced, ours: Reduced): void {
    const { before: surroundings, earlier, examples, found } = this
    const finding = found.get(key) ?? { count: 0, examples: [] }
    finding.count++
    found.set(key, finding)
    if (finding.examples.length >= examples) return
    const answers = [genuine, ours].map((each) => JSON.stringify(each).slice(0, 1500))
    const before = [...surroundings, ...earlier].map((line) => `after:   ${line.slice(0, 1500)}`)
    const own = step.own === undefined ? [] : [`of ours: ${shown(step.own)}`]
    const lines = [
      ...before,
      `asked:   ${shown(step.question)}`,
      ...own,
      `genuine: ${answers[0]}`,
      `ours:    ${answers[1]}`
    ]
    finding.examples.push(lines.map((line) => `    ${line}`).join("\n"))
  }
}

/** Both servers, and what was found. */
export interface Asking {
  readonly sides: Sides
  readonly findings: Findings
}

const shown = ({ body, headers, method, path }: Question): string =>
  `${method} ${path} ${JSON.stringify(headers ?? {})} ${typeof body === "string" ? body : JSON.stringify(body)}`

/** A server that panics closes the connection: status 0. */
export const answered = (ask: Effect.Effect<Answer, NoAnswer>): Effect.Effect<Answer> =>
  Effect.catchTag(ask, "NoAnswer", ({ message }) =>
    Effect.succeed({ status: 0, headers: {}, valuesOf: () => [], body: Buffer.from(message) })
  )

/** Asks both, notes a difference, and returns both answers. */
export const askBoth = Effect.fnUntraced(function* (
  { findings, sides }: Asking,
  kind: string,
  step: Step,
  pairs: Pairs = []
) {
  findings.sent++
  const questions = [step.question, step.own ?? translated(step.question, pairs)] as const
  const askEach = Effect.forEach(sides, ({ ask }, index) => answered(ask(questions[index] ?? step.question)), {
    concurrency: 2
  })
  let answers = yield* askEach
  const nowMs = yield* Clock.currentTimeMillis
  const reduce = (answer: Answer, index: number) =>
    withoutSuffix(reduced(answer, sides[index]?.target.server ?? "", nowMs), step.question.body)
  let [genuine, ours] = answers.map(reduce) as [Reduced, Reduced]
  // On a busy machine a watch ends before all its events, and a cache does not have the latest write.
  const mayRepeat = () => mayBeLate(step) || (step.question.method === "GET" && genuine.code === TOO_MANY)
  for (let tries = 0; mayRepeat() && tries < LATE_TRIES && difference(genuine, ours) !== undefined; tries++) {
    if (genuine.code === TOO_MANY) yield* Effect.sleep("1 second")
    answers = yield* askEach
    ;[genuine, ours] = answers.map(reduce) as [Reduced, Reduced]
  }
  const written = writes(step) ? answers.map(({ body }, index) => isNewer(findings, index, body)) : []
  // What panics has no rule to compare with.
  let key = genuine.code === 0 ? undefined : difference(genuine, ours)
  if (key !== undefined && genuine.code >= 400 && ours.code >= 400) {
    const again = Effect.map(answered(sides[0].ask(step.question)), (answer) => reduce(answer, 0))
    if (yield* mayAnswer(again, ours)) key = undefined
  }
  if (key === undefined && written[0] !== written[1]) key = `changes the object: ${written[0]} → ${written[1]}`
  if (key !== undefined) findings.note(`${kind} ${step.label}: ${key}`, step, genuine, ours)
  findings.earlier.push(`${shown(step.question)} (${genuine.code})`)
  return { key, genuine, ours, bodies: answers.map(({ body }) => body) }
})

const LATE_TRIES = 3

/** Whether a step stores what its answer shows. */
const writes = ({ question: { method, path } }: Step): boolean =>
  ["PATCH", "POST", "PUT"].includes(method) && !path.includes("dryRun=")

const isNewer = ({ revisions }: Findings, index: number, body: Buffer): boolean | undefined => {
  try {
    return revisions[index]?.isNewer(JSON.parse(body.toString()))
  } catch {
    return undefined
  }
}

/** A server begins to serve a changed definition again. */
const TOO_MANY = 429

const mayBeLate = ({ question }: Step): boolean =>
  question.method === "GET" && /[?&](?:watch=|resourceVersion=0)/.test(question.path)

const TRIES = 24

/**
 * Whether the genuine server refuses the same request with our answer, too, when it is asked again: of several faults it
 * names the one that it meets first, and Go visits maps in random order. A refused request changes nothing.
 */
const mayAnswer = Effect.fnUntraced(function* (again: Effect.Effect<Reduced>, ours: Reduced) {
  for (let count = 0; count < TRIES; count++) {
    if (difference(yield* again, ours) === undefined) return true
  }
  return false
})
