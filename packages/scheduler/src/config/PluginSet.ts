import type { Reader } from "./Reader.ts"

/** A plugin that a profile enables. */
export interface EnabledPlugin {
  readonly name: string
  /** 0 if not given. */
  readonly weight: number
}

/** The plugins of a profile for one extension point, or for all (`multiPoint`). */
export interface PluginSet {
  readonly enabled: ReadonlyArray<EnabledPlugin>
  /** Names of default plugins; `*` stands for all. */
  readonly disabled: ReadonlySet<string>
}

/**
 * Reads a plugin set. `known` are the names that may be enabled; `role` says in messages what such a plugin does, as in
 * "a plugin that filters".
 */
export const readPluginSet = (
  reader: Reader,
  value: unknown,
  path: string,
  known: ReadonlyArray<string>,
  role: string
): PluginSet => {
  const set = reader.object(value, path, ["enabled", "disabled"])
  const read = (entry: unknown, at: string, fields: ReadonlyArray<string>, names: ReadonlyArray<string>) => {
    const { name, weight } = reader.object(entry, at, fields)
    const text = reader.plugin(name, `${at}.name`, `a plugin that ${role}`, names)
    return { name: text, weight: reader.integer(weight, `${at}.weight`, 0) ?? 0 }
  }
  const enabled = reader
    .list(set.enabled, `${path}.enabled`)
    .map((entry, index) => read(entry, `${path}.enabled[${index}]`, ["name", "weight"], known))
  enabled.forEach(({ name }, index) => {
    if (enabled.findIndex((other) => other.name === name) < index) {
      reader.expected(`${path}.enabled[${index}].name`, name, "a plugin that is not enabled already")
    }
  })
  const disabled = reader
    .list(set.disabled, `${path}.disabled`)
    .map((entry, index) => read(entry, `${path}.disabled[${index}]`, ["name"], [...known, "*"]).name)
  return { enabled, disabled: new Set(disabled) }
}

/**
 * Merges the default plugins with a set, in order. A default plugin that the set enables again keeps its place and
 * takes the new weight. Upstream: pkg/scheduler/apis/config/v1/default_plugins.go mergePluginSet.
 */
export const withDefaults = (
  defaults: ReadonlyArray<EnabledPlugin>,
  { disabled, enabled }: PluginSet
): ReadonlyArray<EnabledPlugin> => {
  const remaining = disabled.has("*")
    ? []
    : defaults
        .filter(({ name }) => !disabled.has(name))
        .map((plugin) => enabled.find(({ name }) => name === plugin.name) ?? plugin)
  return [...remaining, ...enabled.filter(({ name }) => !remaining.some((plugin) => plugin.name === name))]
}

/**
 * The plugins of one extension point, in order: first those of multiPoint that `point` enables again, then the others
 * of multiPoint, then those that only `point` enables. `implementing` are the names of the plugins that have this
 * point. Upstream: pkg/scheduler/framework/runtime/framework.go expandMultiPointPlugins.
 */
export const pluginsAtPoint = (
  multiPoint: ReadonlyArray<EnabledPlugin>,
  point: PluginSet,
  implementing: ReadonlySet<string>
): ReadonlyArray<EnabledPlugin> => {
  const shared = point.disabled.has("*")
    ? []
    : multiPoint.filter(({ name }) => implementing.has(name) && !point.disabled.has(name))
  const weightOf = (name: string) => shared.find((plugin) => plugin.name === name)?.weight ?? 0
  const overriding: Array<EnabledPlugin> = []
  const additional: Array<EnabledPlugin> = []
  for (const { name, weight } of point.enabled) {
    const isShared = shared.some((plugin) => plugin.name === name)
    ;(isShared ? overriding : additional).push({ name, weight: weight === 0 ? weightOf(name) : weight })
  }
  const rest = shared.filter(({ name }) => !overriding.some((plugin) => plugin.name === name))
  return [...overriding, ...rest, ...additional]
}
