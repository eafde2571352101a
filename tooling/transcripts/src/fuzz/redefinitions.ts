import { type MessageType, wireTypeNamed } from "@rollcall/api/wire"
import * as Effect from "effect/Effect"
import { isObject, type JsonObject } from "../Case.ts"
import { type Asking, askBoth } from "./asking.ts"
import { customResource } from "./custom.ts"
import type { Random } from "./Random.ts"
import { collectionOf, type Resource } from "./Resource.ts"
import { objectOf, removeAll, shared } from "./runSession.ts"
import { further } from "./session.ts"
import { creation, plainCreation, type Step } from "./writes.ts"

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/** Names are accepted, and paths served, a moment after a definition is written. */
const untilServed = Effect.sleep("3 seconds")

/** Returns the versions of another random definition of the same names, and the resources that they make. */
const otherVersions = (random: Random, number: number, metadata: MessageType | undefined) => {
  const { definition, resources } = customResource(random, number, metadata)
  const { spec } = definition
  return { versions: isObject(spec) ? (spec.versions ?? []) : [], resources }
}

const REDEFINITIONS = 2
const STEPS = 8

/**
 * Defines a custom resource and makes objects of it, and then changes its schemas and versions, and asks about the objects,
 * which are older than what they are read by.
 */
export const runRedefined = Effect.fnUntraced(function* (
  asking: Asking,
  random: Random,
  number: number,
  metadata = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
) {
  asking.findings.earlier = []
  const ask = (step: Step) => askBoth(asking, "Custom", step)
  const { definition, resources } = customResource(random, number, metadata)
  const { name = "" } = isObject(definition.metadata) ? definition.metadata : {}
  const path = `${DEFINITIONS}/${name}`
  const defined = yield* ask({ label: "POST", question: { method: "POST", path: DEFINITIONS, body: definition } })
  if (defined.genuine.code === 201 && defined.ours.code === 201) {
    yield* untilServed
    const objects = yield* makeObjects(ask, random, resources)
    let known: ReadonlyArray<Resource> = resources
    for (let count = 0; count < REDEFINITIONS; count++) {
      const { resources: others, versions } = otherVersions(random, number, metadata)
      const headers = { "Content-Type": "application/merge-patch+json" }
      const body = JSON.stringify({ spec: { versions } })
      const changed = yield* ask({ label: "PATCH definition", question: { method: "PATCH", path, body, headers } })
      if (changed.genuine.code === 200) known = [...others, ...others, ...resources]
      yield* untilServed
      for (let steps = 0; steps < STEPS; steps++) {
        const resource = random.pick(known)
        const made = random.pick(objects)
        if (made === undefined) break
        const at = `${collectionOf(resource)}/${made.name}`
        yield* ask(further(random, resource, at, { ...made.object, apiVersion: resource.apiVersion }))
      }
    }
    yield* removeAll(asking, () =>
      objects.flatMap(({ name: of }) => known.map((each) => `${collectionOf(each)}/${of}`))
    )
  }
  yield* removeAll(asking, () => [path])
})

interface Made {
  readonly name: string
  readonly object: JsonObject
}

const OBJECTS = 3

/** Makes a few objects at the versions of the definition. */
const makeObjects = Effect.fnUntraced(function* (
  ask: (step: Step) => ReturnType<typeof askBoth>,
  random: Random,
  resources: ReadonlyArray<Resource>
) {
  const made: Array<Made> = []
  for (let count = 0; count < OBJECTS; count++) {
    const resource = random.pick(resources)
    const name = `r-${count}`
    const { bodies, genuine, ours } = yield* ask(
      count === 0 ? plainCreation(resource, name) : creation(random, resource, name)
    )
    const object = objectOf(bodies[0])
    if (genuine.code !== 201 || ours.code !== 201 || object === undefined) continue
    const { uid: _, ...metadata } = shared(object).metadata as JsonObject
    made.push({ name, object: { ...shared(object), metadata } })
  }
  return made
})
