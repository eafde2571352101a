#!/usr/bin/env node
import { parseArgs } from "node:util"
import type { KindName } from "@rollcall/api"
import { wireTypeNamed } from "@rollcall/api/wire"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ownServer } from "../ownServer.ts"
import { makeRequests, type NoAnswer } from "../Requests.ts"
import { targetOf } from "../Target.ts"
import { type Asking, askBoth, Findings } from "./asking.ts"
import { bases, dryKinds } from "./bases.ts"
import { customResource } from "./custom.ts"
import { otherResources } from "./moreBases.ts"
import { canPopulate, runPopulation } from "./population.ts"
import { Random } from "./Random.ts"
import { NAMESPACE, type Resource } from "./Resource.ts"
import { runRedefined } from "./redefinitions.ts"
import { resourceOfKind } from "./resourceOfKind.ts"
import { removeAll, runSession, shownKind } from "./runSession.ts"
import { randomSurroundings } from "./surroundings.ts"
import { sweep, sweeps } from "./sweep.ts"
import type { Step } from "./writes.ts"

const USAGE = `pnpm fuzz --kubeconfig FILE [--against FILE] [--count N] [--seed N] [--kind NAME]… [--decided | --redefined | --sweep] [--examples N]

Sends random objects, patches and requests to two servers and prints how their answers differ, by class.
  --kubeconfig FILE  the server that is right: empty, its current context a member of system:masters
  --against FILE     the server to compare (default: ours, started in this process)
  --count N          requests to send to each (default 1000)
  --seed N           the same seed sends the same requests (default 1)
  --kind NAME        only these kinds; Custom is those of random definitions
  --decided          what decides about writes changes every few sessions: policies, quotas, limits, rights, pod security
  --redefined        only custom resources, whose definitions change while there are objects of them
  --sweep            objects that are valid but for one odd value, at each place in turn, by each way to write them; none is stored. --seed 1 has odd texts and edges, 2 other types, 3 plausible values
  --examples N       examples of each class (default 1)
Exit: 0 no difference, 1 differences, 2 wrong input.`

const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    against: { type: "string" },
    count: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    kind: { type: "string", multiple: true },
    decided: { type: "boolean", default: false },
    redefined: { type: "boolean", default: false },
    sweep: { type: "boolean", default: false },
    examples: { type: "string", default: "1" },
    help: { type: "boolean", default: false }
  }
})
if (values.help || values.kubeconfig === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(values.help ? 0 : 2)
}

const findings = new Findings(Number(values.examples))

const CUSTOM_RESOURCES = 5

/** Defines custom resources on both servers, and returns those that both serve. */
const defineCustom = Effect.fnUntraced(function* (asking: Asking, random: Random) {
  const resources: Array<Resource> = []
  for (let number = 0; number < CUSTOM_RESOURCES; number++) {
    const { definition, resources: defined } = customResource(random, number, wireTypeNamed(META))
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const step = { label: "POST", question: { method: "POST", path, body: definition } }
    const made = yield* askBoth(asking, "CustomResourceDefinition", step)
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
  const asking = { sides, findings }
  if (values.redefined) {
    for (let number = 0; findings.sent < Number(values.count); number++)
      yield* runRedefined(asking, random, FIRST_REDEFINED + number)
    return
  }
  const custom = isWanted("Custom") ? yield* defineCustom(asking, random) : []
  const served = [...all.map(resourceOfKind), ...otherResources()].filter(({ kind }) => isWanted(kind))
  const resources = [...served, ...custom]
  if (values.sweep) {
    const oddities = sweeps[(Number(values.seed) - 1) % sweeps.length] ?? sweeps[0]
    const isOver = () => findings.sent >= Number(values.count)
    for (const resource of resources) yield* sweep(asking, resource, oddities, isOver)
    return
  }
  const count = Number(values.count)
  if (values.decided) {
    for (let number = 0; findings.sent < count; number++) yield* runDecided(asking, resources, random, number)
    return
  }
  for (let number = 0; findings.sent < count; number++) {
    const resource = random.pick(resources)
    if (!random.chance(0.06) || !canPopulate(resource)) {
      yield* runSession(asking, resource, random, `${number}`)
      continue
    }
    findings.earlier = []
    const ask = (step: Step) => askBoth(asking, shownKind(resource), step)
    const paths = yield* runPopulation(ask, resource, random, number)
    yield* removeAll(asking, () => paths)
  }
})

/** The others are of the numbers before it. */
const FIRST_REDEFINED = 100

const SESSIONS = 12

/** Policies are read again every second, quotas and roles soon. */
const untilInForce = Effect.sleep("4 seconds")

/** Runs some sessions in the same surroundings. */
const runDecided = Effect.fnUntraced(function* (
  asking: Asking,
  resources: ReadonlyArray<Resource>,
  random: Random,
  number: number
) {
  const inNamespace = resources.filter(({ isDry, namespaced }) => namespaced && !isDry)
  const surroundings = randomSurroundings(random, inNamespace)
  findings.earlier = []
  for (const step of surroundings.steps) yield* askBoth(asking, "Surroundings", step)
  const before = findings.earlier
  yield* untilInForce
  const decided = inNamespace.filter(({ kind }) => surroundings.kinds.includes(kind))
  const left: Array<string> = []
  for (let session = 0; session < SESSIONS; session++) {
    const resource = random.pick(decided.length > 0 && random.chance(0.6) ? decided : inNamespace)
    findings.before = before
    const paths = yield* runSession(asking, resource, random, `${number}-${session}`, surroundings.user)
    left.push(...paths)
  }
  findings.before = []
  findings.earlier = []
  const { ends, paths: decisive } = surroundings
  yield* removeAll(asking, () => decisive.toReversed())
  yield* untilInForce
  for (const step of ends) yield* askBoth(asking, "Surroundings", step)
  yield* removeAll(asking, () => [...decisive, ...left])
})

/** Prints what was found, and exits. */
const report = () => {
  const classes = [...findings.found].sort(([, left], [, right]) => right.count - left.count)
  const differing = classes.reduce((sum, [, { count }]) => sum + count, 0)
  for (const [key, { count, examples }] of classes) process.stdout.write(`${count}× ${key}\n${examples.join("\n")}\n`)
  process.stdout.write(`\n${findings.sent} requests, ${differing} answered differently, in ${classes.length} classes\n`)
  process.exit(differing === 0 ? 0 : 1)
}

process.on("SIGTERM", report)
await Effect.runPromise(Effect.scoped(fuzz) as Effect.Effect<void, NoAnswer>)
report()
