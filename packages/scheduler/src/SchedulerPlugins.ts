import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PluginParts } from "./config/plugins.ts"
import { bindingPointsOf, type Profile } from "./Profile.ts"

/** Custom plugins by name. */
export type Plugins = Readonly<Record<string, PluginParts>>

/**
 * The port of custom plugins, by name: each profile runs them after Kubernetes' own, in this order, unless its
 * configuration weights, moves or disables them. The port is optional: without it a scheduler only has Kubernetes'
 * plugins.
 * Implementations are tested by `schedulerPluginContract` of `@rollcall/scheduler/testing`.
 * Upstream: cmd/kube-scheduler/app, WithPlugin.
 */
export class SchedulerPlugins extends Context.Service<SchedulerPlugins, Plugins>()(
  "@rollcall/scheduler/SchedulerPlugins"
) {
  static readonly layer = (plugins: Plugins): Layer.Layer<SchedulerPlugins> => Layer.succeed(SchedulerPlugins, plugins)

  /** The custom plugins in context; empty by default. */
  static readonly given: Effect.Effect<Plugins> = Effect.map(
    Effect.serviceOption(SchedulerPlugins),
    Option.getOrElse((): Plugins => ({}))
  )
}

const bindingPoints = ["reserve", "permit", "preBind", "postBind"] as const

/** A profile that runs these plugins after its own. */
export const withPlugins = (profile: Profile, added: Plugins): Profile => {
  const plugins = Object.values(added)
  if (plugins.length === 0) return profile
  const partsOf = <Point extends keyof PluginParts>(point: Point) => plugins.flatMap((plugin) => plugin[point] ?? [])
  const own = bindingPointsOf(profile)
  return {
    ...profile,
    filters: [...profile.filters, ...partsOf("filter")],
    scores: [...profile.scores, ...partsOf("score")],
    ...Object.fromEntries(bindingPoints.map((point) => [point, [...(own?.[point] ?? []), ...partsOf(point)]]))
  }
}
