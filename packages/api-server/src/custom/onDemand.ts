import { StoreFailure } from "@rollcall/store"
import { lazily } from "@rollcall/time"
import type { ServerCore } from "../core/pipeline/ServerCore.ts"
import type { CustomResourcesPlan } from "../core/ports/CustomResources.ts"
import { planOf } from "./planOf.ts"

const loadRules = lazily(() => import("./kinds/definitionRules.ts"))
const loadSelectors = lazily(() => import("./deviceSelectors.ts"))

const loadConverter = () => import("./conversion/Converter.ts")

type Ready = (error: StoreFailure | undefined) => void

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const load = (core: ServerCore, ready: Ready) =>
  import("./kinds/CustomKinds.ts")
    .then(({ CustomKinds }) => new CustomKinds(core, loadConverter).start(ready))
    .catch((error: unknown) =>
      ready(new StoreFailure({ message: `custom resources cannot be served: ${textOf(error)}` }))
    )

/**
 * Serves custom resources from the first definition on: without one, what serves them is not loaded. Calls `ready` once
 * all stored definitions are served.
 */
const startWithFirst = (core: ServerCore, ready: Ready): void => {
  const { cache } = core.registry.kinds.CustomResourceDefinition
  if (cache.size > 0) {
    void load(core, ready)
    return
  }
  let isLoading = false
  cache.observe((object) => {
    if (object === undefined || isLoading) return
    isLoading = true
    void load(core, (error) => {
      if (error === undefined) return
      isLoading = false
      core.timers.handleError("custom resource definitions", error)
    })
  })
  ready(undefined)
}

/**
 * The plan of `customResources` for a program: schemas and the expression language load with the first object that has
 * them. That takes time of its own, which virtual time does not wait for.
 */
export const customResourcesOnDemand: CustomResourcesPlan = planOf({
  *definitionRules() {
    return (yield* loadRules()).definitionRules
  },
  *checkExpression() {
    return (yield* loadSelectors()).checkExpression
  },
  start: startWithFirst
})
