import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { formatKubeconfig } from "@rollcall/kube-client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { type Case, type CommandStep, type HttpStep, isHttp, isHttpOnly, type Json, type Preparation } from "./Case.ts"
import { type CommandResult, type Place, runCommand } from "./Commands.ts"
import { compare } from "./compare.ts"
import { askStep, type HttpObservation } from "./httpStep.ts"
import { normaliseText } from "./normalise.ts"
import { createObject, NotPrepared, removeNamespace, removeReference } from "./objects.ts"
import { patternOf } from "./pattern.ts"
import { makePlaceholders, type Placeholders } from "./placeholders.ts"
import { kubeconfigOf } from "./Target.ts"
import { fill, type Variables } from "./template.ts"
import type { Workshop } from "./Workshop.ts"

interface Session {
  readonly workshop: Workshop
  readonly namespace: string
  readonly place: Place
  readonly variables: Variables
  readonly placeholders: Placeholders
}

/** The characters of generated names in Kubernetes. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789"
/** How long steps with `until` are repeated. */
const COMMAND_UNTIL_MS = 45_000
const HTTP_UNTIL_MS = 20_000

/** Returns a random name for a namespace. Each case has its own, because the namespaces of earlier cases may still be terminating. */
const newNamespace = Effect.gen(function* () {
  let name = "t-"
  for (let count = 0; count < 6; count++) name += LETTERS[yield* Random.nextIntBetween(0, LETTERS.length - 1)]
  return name
})

const run = ({ place, variables, workshop }: Session, step: Pick<CommandStep, "argv"> & Partial<CommandStep>) => {
  const real = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
    fill(argv, variables).map((word, index) => (index === 0 && word === "kubectl" ? (workshop.kubectl ?? word) : word))
  const { during, silent_start, stop_after, timeout } = step
  return runCommand(
    real(step.argv),
    { ...place, environment: { ...place.environment, ...fill(step.env ?? {}, variables) } },
    {
      stdin: fill(step.stdin ?? "", variables),
      ...(during && { during: during.map(real) }),
      ...(silent_start !== undefined && { silent_start }),
      ...(stop_after !== undefined && { stop_after }),
      ...(timeout !== undefined && { timeoutSeconds: timeout })
    }
  )
}

/** Repeats an attempt until its answer is as wanted, or the time is over. Returns the last answer. */
const repeatUntil = <A, E>(
  attempt: Effect.Effect<A, E>,
  isWanted: (answer: A) => boolean,
  withinMs: number
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + withinMs
    let answer = yield* attempt
    while (!isWanted(answer) && (yield* Clock.currentTimeMillis) < deadline) {
      yield* Effect.sleep("300 millis")
      answer = yield* attempt
    }
    return answer
  })

const prepare = Effect.fnUntraced(function* (session: Session, preparation: Preparation) {
  if (Array.isArray(preparation)) {
    const argv = preparation as ReadonlyArray<string>
    const { exit, stderr, stdout } = yield* run(session, { argv })
    if (exit === 0) return
    return yield* new NotPrepared({ message: `setup: ${argv.join(" ")}: exit ${exit}\n${stdout}${stderr}` })
  }
  if ("sleep" in preparation) return yield* Effect.sleep(`${Number(preparation.sleep)} seconds`)
  const object = fill(preparation, session.variables)
  if (!Array.isArray(object)) yield* createObject(session.workshop.ask, object as never, session.namespace)
})

const observeHttp = (session: Session, step: HttpStep) => {
  const { placeholders, variables, workshop } = session
  const wanted = step.until === undefined ? undefined : patternOf(step.until)
  return repeatUntil(
    askStep(workshop.ask, step, variables, placeholders),
    (observed: HttpObservation) => wanted?.test(JSON.stringify(observed)) ?? true,
    HTTP_UNTIL_MS
  )
}

const observeCommand = Effect.fnUntraced(function* (session: Session, step: CommandStep) {
  const wanted = step.until === undefined ? undefined : patternOf(step.until)
  const isWanted = ({ stdout }: CommandResult) => wanted?.test(stdout) ?? true
  const { exit, stderr, stdout } = yield* repeatUntil(run(session, step), isWanted, COMMAND_UNTIL_MS)
  // `docs` and `only` apply to standard output alone.
  const { docs: _docs, only: _only, ...stderrOptions } = step
  return {
    exit,
    stdout: normaliseText(stdout, session.placeholders, step),
    stderr: normaliseText(stderr, session.placeholders, stderrOptions)
  }
})

const runSteps = Effect.fnUntraced(function* (session: Session, { name, steps }: Case) {
  const problems: Array<string> = []
  for (const [index, step] of steps.entries()) {
    const stepText = isHttp(step) ? `${step.http.method} ${step.http.path}` : step.argv.join(" ")
    const observed: Record<string, Json> = isHttp(step)
      ? { ...(yield* observeHttp(session, step)) }
      : { ...(yield* observeCommand(session, step)) }
    if (!isHttp(step)) {
      const output = `${observed.stdout}${observed.stderr}`
      for (const like of step.like ?? []) {
        if (!patternOf(like).test(output))
          problems.push(`$ ${stepText}\nexpected a match of ${like}, found:\n${output}\n`)
      }
    }
    const recorded = step as unknown as Readonly<Record<string, Json | undefined>>
    for (const [field, answered] of Object.entries(observed)) {
      const expected = recorded[field]
      if (expected === undefined) continue
      const difference = compare(`${name} step ${index + 1} ${field}`, expected, answered)
      if (difference !== undefined) problems.push(`$ ${stepText}\n${difference}\n`)
    }
  }
  return problems
})

const writeFiles = ({ place, variables }: Session, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(place.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, fill(content, variables))
    if (name.endsWith(".sh")) chmodSync(path, 0o755)
  }
}

/**
 * Has kubectl ask the server for its resources, unless it has before: a recorder's kubectl knew them, and without rights it
 * says otherwise that it cannot get them.
 */
const fillDiscoveryCache = Effect.fnUntraced(function* (session: Session, one: Case) {
  const { environment } = session.workshop
  if (isHttpOnly(one) || existsSync(environment.KUBECACHEDIR ?? "")) return
  yield* run(session, { argv: ["kubectl", "get", "namespace", "default"] })
})

/** Prepares a case and runs its steps. */
const prepareAndRun = Effect.fnUntraced(function* (session: Session, one: Case) {
  const { namespace, workshop } = session
  const { ask } = workshop
  for (const reference of fill(one.cluster ?? [], session.variables)) yield* removeReference(ask, reference)
  yield* createObject(ask, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, namespace)
  // A controller may create it too; whichever request comes second fails with AlreadyExists, which is ignored.
  yield* ask({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } }
  })
  writeFiles(session, one.files ?? {})
  yield* fillDiscoveryCache(session, one)
  for (const preparation of one.setup ?? []) yield* prepare(session, preparation)
  return yield* runSteps(session, one)
})

/** Runs a case in a namespace of its own. Returns the differences from the recorded session as texts, one for each part of a step. */
export const runCase = Effect.fnUntraced(function* (workshop: Workshop, one: Case) {
  const namespace = yield* newNamespace
  const folder = join(workshop.folder, namespace)
  const kubeconfig = join(workshop.folder, `${namespace}.kubeconfig`)
  const { server } = workshop.target
  mkdirSync(folder)
  writeFileSync(kubeconfig, formatKubeconfig(kubeconfigOf(workshop.target, namespace)), { mode: 0o600 })
  const session: Session = {
    workshop,
    namespace,
    place: { folder, environment: { ...workshop.environment, KUBECONFIG: kubeconfig } },
    variables: new Map([["ns", namespace]]),
    placeholders: makePlaceholders({
      namespace,
      server,
      nowMs: yield* Clock.currentTimeMillis,
      generated: one.generated ?? []
    })
  }
  const cleanUp = Effect.gen(function* () {
    for (const reference of fill(one.cluster ?? [], session.variables)) yield* removeReference(workshop.ask, reference)
    yield* removeNamespace(workshop.ask, namespace)
  }).pipe(
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        rmSync(kubeconfig, { force: true })
        rmSync(folder, { recursive: true, force: true })
      })
    )
  )
  return yield* prepareAndRun(session, one).pipe(
    Effect.catch(({ message }) => Effect.succeed([`--- ${one.name}\n${message}\n`])),
    Effect.ensuring(cleanUp)
  )
})
