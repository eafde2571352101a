import type { Release } from "@rollcall/api"
import type { KubeletConfiguration } from "./fields.ts"
import { quoted } from "./quoted.ts"

const FORMATS: ReadonlyArray<string> = ["", "text", "json"]
const SCHEMES: ReadonlyArray<string> = ["dns", "unix", "unix-abstract"]
const MILLION = 1_000_000

const hiddenMetrics = (version: string, { name }: Release): ReadonlyArray<string> => {
  const [major = "", minor = ""] = name.split(".")
  const previous = `${major}.${Number(minor) - 1}`
  return version === "" || version === previous
    ? []
    : [
        `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`
      ]
}

const tracing = ({ endpoint, samplingRatePerMillion: rate = 0 }: NonNullable<KubeletConfiguration["tracing"]>) => {
  const errors: Array<string> = []
  const sampling = (why: string) => errors.push(`tracing.samplingRatePerMillion: Invalid value: ${rate}: ${why}`)
  if (rate < 0) sampling("sampling rate must be positive")
  if (rate > MILLION) sampling("sampling rate per million must be less than or equal to one million")
  if (endpoint?.includes("//")) {
    const scheme = endpoint.slice(0, Math.max(0, endpoint.indexOf(":")))
    if (!SCHEMES.includes(scheme)) {
      errors.push(
        `tracing.endpoint: Invalid value: ${quoted(endpoint)}: unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`
      )
    }
  }
  return errors
}

/** Metrics, logs and traces. Upstream: staging component-base/{metrics,logs/api/v1,tracing/api/v1}. */
export const validateInstrumentation = (config: KubeletConfiguration, release: Release): ReadonlyArray<string> => {
  const { logging = {}, showHiddenMetricsForVersion = "" } = config
  const { format = "" } = logging
  return [
    ...hiddenMetrics(showHiddenMetricsForVersion, release),
    ...(FORMATS.includes(format) ? [] : [`logging.format: Invalid value: ${quoted(format)}: Unsupported log format`]),
    ...(config.tracing === undefined ? [] : tracing(config.tracing))
  ]
}
