import { upProgram } from "@rollcall/components/live"
import {
  type FlagProblem,
  type Flags,
  type FlagValues,
  formatFlagProblem,
  type Parsed,
  readFlags
} from "@rollcall/flags"
import { InvalidInput, invalid, unknownName, wrongValue } from "@rollcall/input"
import { readDocuments, withLineNumbers } from "@rollcall/input/documents"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** The names of all environment variables of settings begin with this and an underscore. */
const PREFIX = "ROLLCALLD"

/** Flags of `rollcall up` for interactive use, which a daemon does not have. */
const interactiveFlags = ["merge-kubeconfig", "exit-when-ready", "output", "parent-pid", "demo", "logging-format"]

/** `data-dir` → `dataDir` */
const camelCase = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** `dataDir` → `DATA_DIR` */
const constantCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The flag of `rollcall up` for each setting key. The setting `scenario` is the flag --config; the others are named for their flags. */
const flagByKey: ReadonlyMap<string, string> = new Map(
  Object.keys(upProgram.flags)
    .filter((flag) => !interactiveFlags.includes(flag))
    .map((flag) => [flag === "config" ? "scenario" : camelCase(flag), flag])
)

const METRICS = "metricsAddress"

/** The keys that a settings file can have. */
export const settingKeys: ReadonlyArray<string> = [METRICS, ...flagByKey.keys()]

/** Returns the environment variable of a setting: `dataDir` → `ROLLCALLD_DATA_DIR`. */
export const variableOf = (key: string): string => `${PREFIX}_${constantCase(key)}`

/** Returns the help text of a setting: that of its flag. */
export const settingHelp = (key: string, flags: Flags): string => {
  if (key === METRICS) return "HOST:PORT of /livez, /readyz and /metrics over plain HTTP; empty: nowhere"
  return flags[flagByKey.get(key) ?? ""]?.help ?? ""
}

/** Returns a YAML value as the text that its flag accepts, or undefined if it has no such form. A list becomes `a,b`. */
const flagTextOf = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.every((part) => typeof part === "string") ? value.join(",") : undefined
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined
}

/** Reads the settings of a YAML file as texts by key. Fails if a key is unknown. */
const readFile = Effect.fnUntraced(function* (file: string) {
  const [document] = yield* readDocuments(file)
  const value = document?.value ?? {}
  if (!Predicate.isReadonlyObject(value)) return yield* invalid(file, "", wrongValue(value, "settings by name"))
  const texts: Record<string, string> = {}
  for (const [key, given] of Object.entries(value)) {
    if (!settingKeys.includes(key)) return yield* invalid(file, key, unknownName("is not a setting", key, settingKeys))
    const text = flagTextOf(given)
    if (text === undefined) return yield* invalid(file, key, wrongValue(given, "a text, a number or a list"))
    texts[key] = text
  }
  return texts
})

/** Fails if a variable with the prefix is not that of a setting. */
const checkEnvironment = (environment: Readonly<Record<string, string | undefined>>) => {
  const known = settingKeys.map(variableOf)
  const unknown = Object.keys(environment).find((name) => name.startsWith(`${PREFIX}_`) && !known.includes(name))
  return unknown === undefined
    ? Effect.void
    : Effect.fail(invalid("environment", unknown, unknownName("is not a setting", unknown, known)))
}

const settingsConfig = Config.all(
  Object.fromEntries(settingKeys.map((key) => [key, Config.option(Config.String(key))]))
)

/** The address that serves health and metrics over plain HTTP. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** `[IPv6]:PORT` or `HOST:PORT`; the host may be empty. */
const ADDRESS = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/

/** Parses the metrics address. Returns undefined for "". `source` is the file or `environment`, for an error. */
const parseMetricsAddress = (text: string, source: string) => {
  if (text === "") return Effect.undefined
  const [, ipv6, host, port = ""] = ADDRESS.exec(text) ?? []
  return port === "" || Number(port) > 65_535
    ? Effect.fail(invalid(source, METRICS, wrongValue(text, "HOST:PORT such as 127.0.0.1:9090, or nothing")))
    : Effect.succeed<MetricsAddress>({ host: ipv6 ?? (host || "127.0.0.1"), port: Number(port) })
}

/** The settings of a daemon. */
export interface DaemonSettings {
  /** The settings as parsed flags of `rollcall up`. */
  readonly parsed: Parsed<FlagValues<typeof upProgram.flags>>
  /** The address of health and metrics over plain HTTP; undefined if only the API server serves them. */
  readonly metrics: MetricsAddress | undefined
  /** Replaces the flags of `rollcall up` by their settings in an error. */
  readonly nameSetting: (error: InvalidInput) => InvalidInput
}

/**
 * Reads the settings of a daemon from its environment and its settings file ("" if there is none); the environment overrides the file.
 * Errors name the variable, or the file and the key.
 */
export const readSettings = Effect.fnUntraced(function* (
  file: string,
  environment: Readonly<Record<string, string | undefined>>
) {
  yield* checkEnvironment(environment)
  const ofFile = file === "" ? {} : yield* readFile(file)
  const ofEnvironment = ConfigProvider.fromEnvRecord(environment).pipe(
    ConfigProvider.nested(PREFIX),
    ConfigProvider.constantCase
  )
  const provider = ConfigProvider.orElse(ofEnvironment, ConfigProvider.fromUnknown(ofFile))
  const found = yield* settingsConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    Effect.mapError(({ message }) => invalid(file || "environment", "", message))
  )
  const sourceOf = (key: string) => (environment[variableOf(key)] === undefined ? file : "environment")
  const nameOf = (key: string) => (sourceOf(key) === "environment" ? variableOf(key) : key)
  const given = Object.entries(found).flatMap(([key, text]) =>
    Option.isSome(text) ? [[key, text.value] as const] : []
  )
  const metrics = yield* parseMetricsAddress(Object.fromEntries(given)[METRICS] ?? "", sourceOf(METRICS))
  const args = given.flatMap(([key, text]) => {
    const flag = flagByKey.get(key)
    return flag === undefined ? [] : [`--${flag}=${text}`]
  })
  const keyOf = (name: string) => [...flagByKey].find(([, flag]) => name === flag)?.[0] ?? name
  /** Returns the error for a setting whose value its flag does not accept. */
  const settingError = (problem: FlagProblem) => {
    const { expected, flag: name = "", found: text, reason } = problem
    const message = expected === undefined ? (reason ?? formatFlagProblem(problem)) : wrongValue(text, expected)
    return invalid(sourceOf(keyOf(name)), nameOf(keyOf(name)), message)
  }
  /** Replaces the flags of `rollcall up` by their settings in an error. */
  const nameSetting = (error: InvalidInput) =>
    new InvalidInput({
      problems: error.problems.map((problem) => {
        const key = keyOf(problem.path.replace(/^--/, ""))
        return !flagByKey.has(key) || problem.file !== "command line"
          ? problem
          : { ...problem, file: sourceOf(key) || "settings", path: nameOf(key) }
      })
    })
  const parsed = yield* Effect.mapError(Effect.fromResult(readFlags(upProgram, args)), settingError)
  const settings: DaemonSettings = { parsed, metrics, nameSetting }
  return settings
}, withLineNumbers)
