import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PluginParts } from "./config/plugins.ts"
import { bindingPointsOf, type Profile } from "./Profile.ts"

export type Plugins = Readonly<Record<string, PluginParts>>

/**
 * The port of plugins of one's own, by name: each profile runs them after Kubernetes' own, in this order, unless its configuration weighs
 * them, moves them or takes them out. Optional: a scheduler without it has Kubernetes' plugins. Layers of it are proved by
 * `schedulerPluginContract` of `@rollcall/scheduler/testing`. Upstream: cmd/kube-scheduler/app, WithPlugin.
 */
export class SchedulerPlugins extends Context.Service<SchedulerPlugins, Plugins>()(
  "@rollcall/scheduler/SchedulerPlugins"
) {
  static readonly layer = (plugins: Plugins): Layer.Layer<SchedulerPlugins> => Layer.succeed(SchedulerPlugins, plugins)

  /** The plugins at hand; empty by default. */
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
