import { MAX_NODE_SCORE } from "../Plugin.ts"
import { bindingPointsOf, type Profile } from "../Profile.ts"
import type { NamedProfile } from "../SchedulerConfig.ts"
import { type EnabledPlugin, type PluginSet, pluginsAtPoint, readPluginSet, withDefaults } from "./PluginSet.ts"
import { readPreemptionArgs } from "./pluginArgs.ts"
import { defaultPlugins, type PluginParts, type PluginRegistry } from "./plugins.ts"
import type { Reader } from "./Reader.ts"

const PREEMPTION = "DefaultPreemption"
const BINDER = "DefaultBinder"

/**
 * Plugins of kube-scheduler that are part of the scheduler itself here: they may be named, but most cannot be disabled.
 */
export const builtInPlugins: ReadonlyArray<string> = ["SchedulingGates", "PrioritySort", PREEMPTION, BINDER]

/** The extension points of plugins → what a plugin does there, for messages. */
const points = {
  filter: "filters",
  score: "scores",
  reserve: "reserves",
  permit: "permits",
  preBind: "prepares bindings",
  postBind: "observes bindings"
} as const

type Point = keyof typeof points

/** Extension points of kube-scheduler that plugins here do not have separately: a set for one has no effect. */
const otherPoints = ["preEnqueue", "queueSort", "preFilter", "preScore"]

/** What the entries of `profiles` change. */
export interface ProfileDefaults {
  readonly profile: Profile
  readonly percentageOfNodesToScore: number
  readonly registry: PluginRegistry
  /** Custom plugins, which every profile runs after Kubernetes' own. */
  readonly added: ReadonlyArray<string>
}

/** The args of a plugin, and their place in the configuration. */
interface PluginArgs {
  readonly value: unknown
  readonly path: string
}

/** Reads `pluginConfig`: args by plugin name. */
const readPluginConfig = (
  reader: Reader,
  value: unknown,
  path: string,
  known: ReadonlyArray<string>
): ReadonlyMap<string, PluginArgs> => {
  const found = new Map<string, PluginArgs>()
  reader.list(value, path).forEach((entry, index) => {
    const at = `${path}[${index}]`
    const { args, name } = reader.object(entry, at, ["name", "args"])
    const text = reader.plugin(name, `${at}.name`, "the name of a plugin", known)
    if (found.has(text)) reader.expected(`${at}.name`, name, "each plugin once")
    if (text !== PREEMPTION && builtInPlugins.includes(text)) reader.unsupported(`${at}.args`)
    found.set(text, { value: args, path: `${at}.args` })
  })
  return found
}

/**
 * The default plugins of `multiPoint`, in order: those that only this release has, then Kubernetes' own, then custom
 * ones.
 */
const defaultMultiPoint = (profile: Profile, added: ReadonlyArray<string>): ReadonlyArray<EnabledPlugin> => {
  const { filters, scores } = profile
  const weights = new Map(scores.map(({ name, weight }) => [name, weight]))
  const binding = Object.values(bindingPointsOf(profile) ?? {}).flat()
  const named = new Set([...filters, ...scores, ...binding].map(({ name }) => name))
  const order = Object.keys(defaultPlugins)
  const ofRelease = [...named].filter((name) => !order.includes(name))
  const ordered = [...ofRelease, ...order.filter((name) => named.has(name)), ...added]
  return ordered.map((name) => ({ name, weight: weights.get(name) ?? 0 }))
}

/** Checks the set of the point `bind`: only the default binder can bind, so it must stay enabled. */
const checkBinders = (reader: Reader, value: unknown, path: string): void => {
  const { disabled, enabled } = readPluginSet(reader, value, path, [BINDER], "binds")
  if (enabled.length === 0 && (disabled.has("*") || disabled.has(BINDER))) {
    reader.expected(`${path}.disabled`, [...disabled], `${BINDER} to stay: a profile needs a plugin that binds`)
  }
}

/** Reads one entry of `profiles`; problems are added to the reader. */
export const readProfile = (
  reader: Reader,
  value: unknown,
  path: string,
  { added, percentageOfNodesToScore, profile, registry }: ProfileDefaults
): NamedProfile => {
  const fields = reader.object(value, path, ["schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"])
  const names = Object.keys(registry)
  const args = readPluginConfig(reader, fields.pluginConfig, `${path}.pluginConfig`, [...names, ...builtInPlugins])
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
  const multiPoint = setOf("multiPoint", [...names, ...builtInPlugins], "there is")
  for (const name of multiPoint.disabled) {
    if (name !== PREEMPTION && builtInPlugins.includes(name)) reader.unsupported(`${at}.multiPoint.disabled (${name})`)
  }
  const enabledEverywhere = withDefaults(defaultMultiPoint(profile, added), multiPoint)
  const pluginsAt = <P extends Point>(point: P) => {
    const implementing = names.filter((name) => parts.get(name)?.[point] !== undefined)
    const enabled = pluginsAtPoint(enabledEverywhere, setOf(point, implementing, points[point]), new Set(implementing))
    return enabled.flatMap(({ name, weight }) => {
      const plugin = parts.get(name)?.[point]
      return plugin === undefined ? [] : [{ plugin, weight }]
    })
  }
  checkBinders(reader, plugins.bind, `${at}.bind`)
  const filters = pluginsAt("filter").map(({ plugin }) => plugin)
  const scores = pluginsAt("score").map(({ plugin, weight }) =>
    weight === 0 || weight === plugin.weight ? plugin : { ...plugin, weight }
  )
  const postFilter = setOf("postFilter", [PREEMPTION, "DynamicResources"], "preempts")
  const preemptionArgs = args.get(PREEMPTION)
  const isPreemptionDisabled = [postFilter, multiPoint].some(
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
      ...(isPreemptionDisabled
        ? { preemption: "none" as const }
        : preemptionArgs === undefined
          ? {}
          : { preemption: readPreemptionArgs(reader, preemptionArgs.value, preemptionArgs.path) })
    }
  }
}
