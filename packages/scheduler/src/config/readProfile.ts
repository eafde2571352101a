import { MAX_NODE_SCORE } from "../Plugin.ts"
import { bindingPointsOf, type Profile } from "../Profile.ts"
import type { NamedProfile } from "../SchedulerConfig.ts"
import { atPoint, type EnabledPlugin, type PluginSet, readPluginSet, withDefaults } from "./PluginSet.ts"
import { readPreemptionArgs } from "./pluginArgs.ts"
import { defaultPlugins, type PluginParts, type PluginRegistry } from "./plugins.ts"
import type { Reader } from "./Reader.ts"

const PREEMPTION = "DefaultPreemption"
const BINDER = "DefaultBinder"

/** Plugins that are part of the scheduler itself: they have names, but most cannot be disabled. */
export const builtIn: ReadonlyArray<string> = [
  "SchedulingGates",
  "PrioritySort",
  PREEMPTION,
  BINDER,
  "DynamicResources"
]

/** The extension points with plugins, and what plugins do there, for messages. */
const points = {
  filter: "filters",
  score: "scores",
  reserve: "reserves",
  permit: "permits",
  preBind: "prepares bindings",
  postBind: "observes bindings"
} as const

type Point = keyof typeof points

/** Extension points without plugins of their own here. */
const otherPoints = ["preEnqueue", "queueSort", "preFilter", "preScore"]

export interface ProfileDefaults {
  readonly profile: Profile
  readonly percentageOfNodesToScore: number
  readonly registry: PluginRegistry
  /** Custom plugins, which every profile runs after Kubernetes' own. */
  readonly added: ReadonlyArray<string>
}

interface Args {
  readonly value: unknown
  readonly path: string
}

const readArgs = (
  reader: Reader,
  value: unknown,
  path: string,
  known: ReadonlyArray<string>
): ReadonlyMap<string, Args> => {
  const found = new Map<string, Args>()
  reader.list(value, path).forEach((entry, index) => {
    const at = `${path}[${index}]`
    const { args, name } = reader.object(entry, at, ["name", "args"])
    const text = reader.plugin(name, `${at}.name`, "the name of a plugin", known)
    if (found.has(text)) reader.expected(`${at}.name`, name, "each plugin once")
    if (text !== PREEMPTION && builtIn.includes(text)) reader.unsupported(`${at}.args`)
    found.set(text, { value: args, path: `${at}.args` })
  })
  return found
}

/**
 * The default plugins of `multiPoint`: those that only this release has, the others in Kubernetes' order, and custom
 * ones.
 */
const defaultSet = (profile: Profile, added: ReadonlyArray<string>): ReadonlyArray<EnabledPlugin> => {
  const { filters, scores } = profile
  const weights = new Map(scores.map(({ name, weight }) => [name, weight]))
  const binding = Object.values(bindingPointsOf(profile) ?? {}).flat()
  const named = new Set([...filters, ...scores, ...binding].map(({ name }) => name))
  const order = Object.keys(defaultPlugins)
  const ofRelease = [...named].filter((name) => !order.includes(name))
  const ordered = [...ofRelease, ...order.filter((name) => named.has(name)), ...added]
  return ordered.map((name) => ({ name, weight: weights.get(name) ?? 0 }))
}

/** Only the default binder can bind, so it must stay enabled. */
const readBinders = (reader: Reader, value: unknown, path: string): void => {
  const { disabled, enabled } = readPluginSet(reader, value, path, [BINDER], "binds")
  if (enabled.length === 0 && (disabled.has("*") || disabled.has(BINDER))) {
    reader.expected(`${path}.disabled`, [...disabled], `${BINDER} to stay: a profile needs a plugin that binds`)
  }
}

/** Reads one entry of `profiles`. */
export const readProfile = (
  reader: Reader,
  value: unknown,
  path: string,
  { added, percentageOfNodesToScore, profile, registry }: ProfileDefaults
): NamedProfile => {
  const fields = reader.object(value, path, ["schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"])
  const names = Object.keys(registry)
  const args = readArgs(reader, fields.pluginConfig, `${path}.pluginConfig`, [...names, ...builtIn])
  const parts = new Map<string, PluginParts>(
    names.map((name) => {
      const given = args.get(name)
      return [name, registry[name]?.(given?.value, given?.path ?? "", reader) ?? {}]
    })
  )
  const at = `${path}.plugins`
  const known = ["multiPoint", ...Object.keys(points), "postFilter", "bind", ...otherPoints]
  const plugins = reader.object(fields.plugins, at, known)
  for (const point of otherPoints) if (plugins[point] !== undefined) reader.unsupported(`${at}.${point}`)
  const setOf = (point: string, known: ReadonlyArray<string>, role: string): PluginSet =>
    readPluginSet(reader, plugins[point], `${at}.${point}`, known, role)
  const multiPoint = setOf("multiPoint", [...names, ...builtIn], "there is")
  for (const name of multiPoint.disabled) {
    if (name !== PREEMPTION && builtIn.includes(name)) reader.unsupported(`${at}.multiPoint.disabled (${name})`)
  }
  const everywhere = withDefaults(defaultSet(profile, added), multiPoint)
  const pluginsAt = <P extends Point>(point: P) => {
    const implementing = names.filter((name) => parts.get(name)?.[point] !== undefined)
    const enabled = atPoint(everywhere, setOf(point, implementing, points[point]), new Set(implementing))
    return enabled.flatMap(({ name, weight }) => {
      const plugin = parts.get(name)?.[point]
      return plugin === undefined ? [] : [{ plugin, weight }]
    })
  }
  readBinders(reader, plugins.bind, `${at}.bind`)
  const filters = pluginsAt("filter").map(({ plugin }) => plugin)
  const scores = pluginsAt("score").map(({ plugin, weight }) =>
    weight === 0 || weight === plugin.weight ? plugin : { ...plugin, weight }
  )
  const postFilter = setOf("postFilter", [PREEMPTION, "DynamicResources"], "preempts")
  const limits = args.get(PREEMPTION)
  const none = [postFilter, multiPoint].some(
    ({ disabled, enabled }) =>
      (disabled.has("*") || disabled.has(PREEMPTION)) && !enabled.some(({ name }) => name === PREEMPTION)
  )
  return {
    schedulerName: reader.text(fields.schedulerName, `${path}.schedulerName`) ?? "default-scheduler",
    percentageOfNodesToScore:
      reader.integer(fields.percentageOfNodesToScore, `${path}.percentageOfNodesToScore`, 0, MAX_NODE_SCORE) ??
      percentageOfNodesToScore,
    profile: {
      filters,
      scores,
      reserve: pluginsAt("reserve").map(({ plugin }) => plugin),
      permit: pluginsAt("permit").map(({ plugin }) => plugin),
      preBind: pluginsAt("preBind").map(({ plugin }) => plugin),
      postBind: pluginsAt("postBind").map(({ plugin }) => plugin),
      ...(none
        ? { preemption: "none" as const }
        : limits === undefined
          ? {}
          : { preemption: readPreemptionArgs(reader, limits.value, limits.path) })
    }
  }
}
