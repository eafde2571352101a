#!/usr/bin/env node
import { parseArgs } from "node:util"
import type { KindName } from "@rollcall/api"
import { wireTypeNamed } from "@rollcall/api/wire"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import { ownServer } from "../ownServer.ts"
import { type Answer, type Ask, makeRequests, type NoAnswer, type Question } from "../Requests.ts"
import { type Target, targetOf } from "../Target.ts"
import { bases, dryKinds, harmless } from "./bases.ts"
import { customResource } from "./custom.ts"
import { difference, type Reduced, reduced, withoutSuffix } from "./difference.ts"
import { otherResources } from "./moreBases.ts"
import { chosen, type Pairs, translated } from "./pairs.ts"
import { canPopulate, runPopulation } from "./population.ts"
import { damagedBytes } from "./protobuf.ts"
import { Random } from "./Random.ts"
import { collectionOf, NAMESPACE, type Resource } from "./Resource.ts"
import { deletion } from "./removals.ts"
import { resourceOfKind } from "./resourceOfKind.ts"
import { further, pathOfOther } from "./session.ts"
import { creation, plainCreation, type Step } from "./writes.ts"

const USAGE = `pnpm fuzz --kubeconfig FILE [--against FILE] [--count N] [--seed N] [--kind NAME]… [--examples N]

Sends random objects, patches and requests to two servers and prints how their answers differ, by class.
  --kubeconfig FILE  the server that is right: empty, its current context a member of system:masters
  --against FILE     the server to compare (default: ours, started in this process)
  --count N          requests to send to each (default 1000)
  --seed N           the same seed sends the same requests (default 1)
  --kind NAME        only these kinds; Custom is those of random definitions
  --examples N       examples of each class (default 1)
Exit: 0 no difference, 1 differences, 2 wrong input.`

const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    against: { type: "string" },
    count: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    kind: { type: "string", multiple: true },
    examples: { type: "string", default: "1" },
    help: { type: "boolean", default: false }
  }
})
if (values.help || values.kubeconfig === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(values.help ? 0 : 2)
}

interface Side {
  readonly ask: Ask
  readonly target: Target
}

type Sides = readonly [Side, Side]

interface Finding {
  count: number
  readonly examples: Array<string>
}

const found = new Map<string, Finding>()
let sent = 0
/** What the session asked before. */
let earlier: Array<string> = []

const shown = ({ body, headers, method, path }: Question): string =>
  `${method} ${path} ${JSON.stringify(headers ?? {})} ${typeof body === "string" ? body : JSON.stringify(body)}`

const note = (key: string, step: Step, genuine: Reduced, ours: Reduced) => {
  const finding = found.get(key) ?? { count: 0, examples: [] }
  finding.count++
  found.set(key, finding)
  if (finding.examples.length >= Number(values.examples)) return
  const answers = [genuine, ours].map((each) => JSON.stringify(each).slice(0, 1500))
  const before = earlier.map((line) => `after:   ${line.slice(0, 1500)}`)
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

/** A server that panics closes the connection: status 0. */
const answered = (ask: Effect.Effect<Answer, NoAnswer>): Effect.Effect<Answer> =>
  Effect.catchTag(ask, "NoAnswer", ({ message }) =>
    Effect.succeed({ status: 0, headers: {}, valuesOf: () => [], body: Buffer.from(message) })
  )

/** Asks both, notes a difference, and returns both answers. */
const askBoth = Effect.fnUntraced(function* (sides: Sides, kind: string, step: Step, pairs: Pairs = []) {
  sent++
  const questions = [step.question, step.own ?? translated(step.question, pairs)] as const
  const askEach = Effect.forEach(sides, ({ ask }, index) => answered(ask(questions[index] ?? step.question)), {
    concurrency: 2
  })
  let answers = yield* askEach
  const nowMs = yield* Clock.currentTimeMillis
  const reduce = (answer: Answer, index: number) =>
    withoutSuffix(reduced(answer, sides[index]?.target.server ?? "", nowMs), step.question.body)
  let [genuine, ours] = answers.map(reduce) as [Reduced, Reduced]
  // A watch ends by the clock, on a busy machine before all its events.
  for (let tries = 0; isWatch(step) && tries < WATCH_TRIES && difference(genuine, ours) !== undefined; tries++) {
    answers = yield* askEach
    ;[genuine, ours] = answers.map(reduce) as [Reduced, Reduced]
  }
  // What panics has no rule to compare with.
  let key = genuine.code === 0 ? undefined : difference(genuine, ours)
  if (key !== undefined && genuine.code >= 400 && ours.code >= 400) {
    const again = Effect.map(answered(sides[0].ask(step.question)), (answer) => reduce(answer, 0))
    if (yield* mayAnswer(again, ours)) key = undefined
  }
  if (key !== undefined) note(`${kind} ${step.label}: ${key}`, step, genuine, ours)
  earlier.push(`${shown(step.question)} (${genuine.code})`)
  return { key, genuine, ours, bodies: answers.map(({ body }) => body) }
})

const WATCH_TRIES = 3

const isWatch = ({ question }: Step): boolean => question.method === "GET" && /[?&]watch=/.test(question.path)

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

const objectOf = (bytes: Buffer | undefined): JsonObject | undefined => {
  try {
    const value = JSON.parse((bytes ?? "").toString()) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the genuine server's object without what only it knows. */
const shared = (object: JsonObject): JsonObject => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const { creationTimestamp: _, managedFields: __, resourceVersion: ___, ...rest } = metadata
  return { ...object, metadata: rest }
}

const PROTOBUF = "application/vnd.kubernetes.protobuf"

/** Reads the object in protobuf, and writes it back as each server wrote it. */
const askInProtobuf = Effect.fnUntraced(function* (sides: Sides, resource: Resource, path: string, random: Random) {
  const headers = { Accept: PROTOBUF }
  const step = { label: "GET protobuf", question: { method: "GET", path, headers } }
  const [theirs, own] = (yield* askBoth(sides, shownKind(resource), step)).bodies
  // The addresses of Services are of other ranges.
  if (random.chance(0.4) && resource.kind !== "Service" && theirs !== undefined && theirs.length > 0) {
    const question = {
      method: "POST",
      path: `${collectionOf(resource)}?dryRun=All`,
      bytes: damagedBytes(random, theirs),
      headers: { "Content-Type": PROTOBUF, Accept: "application/json" }
    }
    yield* askBoth(sides, shownKind(resource), { label: "POST damaged protobuf", question })
  }
  const [method, at] = random.pick([
    ["PUT", path],
    ["POST", collectionOf(resource)]
  ] as const)
  const written = (bytes: Buffer | undefined) => {
    const types = { "Content-Type": PROTOBUF, Accept: random.pick([PROTOBUF, "application/json"]) }
    return { method, path: at, bytes: bytes ?? Buffer.alloc(0), headers: types }
  }
  const question = written(theirs)
  const answered = { label: `${method} protobuf`, question, own: { ...question, bytes: own ?? Buffer.alloc(0) } }
  yield* askBoth(sides, shownKind(resource), answered)
})

/** Makes an object on both servers, changes and reads it a few times, and removes it. */
const runSession = Effect.fnUntraced(function* (sides: Sides, resource: Resource, random: Random, number: number) {
  const { isDry, kind } = resource
  earlier = []
  const keepsBase = harmless.has(kind) && random.chance(0.7)
  const step = keepsBase ? plainCreation(resource, `o-${number}`) : creation(random, resource, `o-${number}`)
  const made = yield* askBoth(sides, shownKind(resource), step)
  const object = objectOf(made.bodies[0])
  const own = objectOf(made.bodies[1])
  const pairs = object === undefined || own === undefined ? [] : chosen(object, own)
  const isStored = made.genuine.code === 201 || made.ours.code === 201
  if (!isStored || object === undefined) return
  const paths = [object, own].map((each) => pathOf(resource, each, `o-${number}`))
  const path = paths[0] ?? ""
  let hasOther = false
  if (made.genuine.code === made.ours.code && (!isDry || keepsBase) && paths[0] === paths[1]) {
    if (random.chance(0.15)) yield* askInProtobuf(sides, resource, path, random)
    for (let count = 1 + random.below(5); count > 0; count--) {
      const step = further(random, resource, path, shared(object))
      hasOther ||= step.question.path.includes(pathOfOther(path.split("/").at(-1) ?? ""))
      const next = yield* askBoth(sides, shownKind(resource), step, pairs)
      if (next.key !== undefined && next.genuine.code !== next.ours.code) break
    }
    yield* askBoth(sides, kind, deletion(random, path), pairs)
  }
  yield* removeAll(sides, (index) => {
    const own = paths[index] ?? path
    return hasOther ? [own, pathOfOther(own)] : [own]
  })
})

/** Removes what a session may have left on a server. */
const removeAll = Effect.fnUntraced(function* (sides: Sides, pathsOn: (index: number) => ReadonlyArray<string>) {
  const finalizers = { metadata: { finalizers: null } }
  const headers = { "Content-Type": "application/merge-patch+json" }
  for (const [index, { ask }] of sides.entries()) {
    for (const at of pathsOn(index)) {
      const removal = { method: "DELETE", path: at, body: { gracePeriodSeconds: 0 } }
      for (const question of [removal, { method: "PATCH", path: at, body: finalizers, headers }, removal]) {
        const { body, status } = yield* answered(ask(question))
        if (status === 0) process.stderr.write(`${index === 0 ? "genuine" : "ours"}: ${body}\n`)
      }
    }
  }
})

const shownKind = ({ isCustom, kind }: Resource): string => (isCustom ? "Custom" : kind)

const pathOf = (resource: Resource, object: JsonObject | undefined, name: string): string => {
  const metadata = isObject(object?.metadata) ? object.metadata : {}
  return `${collectionOf(resource)}/${encodeURIComponent(String(metadata.name ?? name))}`
}

const CUSTOM_RESOURCES = 5

/** Defines custom resources on both servers, and returns those that both serve. */
const defineCustom = Effect.fnUntraced(function* (sides: Sides, random: Random) {
  const resources: Array<Resource> = []
  for (let number = 0; number < CUSTOM_RESOURCES; number++) {
    const { definition, resources: defined } = customResource(random, number, wireTypeNamed(META))
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const step = { label: "POST", question: { method: "POST", path, body: definition } }
    const made = yield* askBoth(sides, "CustomResourceDefinition", step)
    if (made.genuine.code === 201 && made.ours.code === 201) resources.push(...defined)
  }
  // Names are accepted, and paths served, a moment later.
  yield* Effect.sleep("3 seconds")
  return resources
})

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

const fuzz: Effect.Effect<void, unknown, Scope.Scope> = Effect.gen(function* () {
  const genuine = yield* targetOf(values.kubeconfig ?? "")
  const ours = values.against === undefined ? yield* ownServer() : yield* targetOf(values.against)
  const sides = [
    { ask: yield* makeRequests(genuine), target: genuine },
    { ask: yield* makeRequests(ours), target: ours }
  ] as const
  for (const { ask } of sides) {
    yield* ask({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: NAMESPACE } } })
    yield* ask({
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
      body: { metadata: { name: "default" } }
    })
  }
  const all = Object.keys({ ...bases, ...dryKinds }) as ReadonlyArray<KindName>
  const isWanted = (kind: string) => values.kind === undefined || values.kind.includes(kind)
  const random = new Random(Number(values.seed))
  const custom = isWanted("Custom") ? yield* defineCustom(sides, random) : []
  const served = [...all.map(resourceOfKind), ...otherResources()].filter(({ kind }) => isWanted(kind))
  const resources = [...served, ...custom]
  for (let number = 0; sent < Number(values.count); number++) {
    const resource = random.pick(resources)
    if (!random.chance(0.06) || !canPopulate(resource)) {
      yield* runSession(sides, resource, random, number)
      continue
    }
    earlier = []
    const ask = (step: Step) => askBoth(sides, shownKind(resource), step)
    const paths = yield* runPopulation(ask, resource, random, number)
    yield* removeAll(sides, () => paths)
  }
})

await Effect.runPromise(Effect.scoped(fuzz) as Effect.Effect<void, NoAnswer>)
const classes = [...found].sort(([, left], [, right]) => right.count - left.count)
const differing = classes.reduce((sum, [, { count }]) => sum + count, 0)
for (const [key, { count, examples }] of classes) process.stdout.write(`${count}× ${key}\n${examples.join("\n")}\n`)
process.stdout.write(`\n${sent} requests, ${differing} answered differently, in ${classes.length} classes\n`)
process.exit(differing === 0 ? 0 : 1)
