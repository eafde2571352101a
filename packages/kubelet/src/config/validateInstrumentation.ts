import type { Release } from "@rollcall/api"
import type { KubeletConfiguration } from "./fields.ts"
import { goQuote } from "./goQuote.ts"

const FORMATS: ReadonlyArray<string> = ["", "text", "json"]
const SCHEMES: ReadonlyArray<string> = ["dns", "unix", "unix-abstract"]
const MILLION = 1_000_000

const validateHiddenMetrics = (version: string, { name }: Release): ReadonlyArray<string> => {
  const [major = "", minor = ""] = name.split(".")
  const previous = `${major}.${Number(minor) - 1}`
  return version === "" || version === previous
    ? []
    : [
        `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`
      ]
}

const validateTracing = ({
  endpoint,
  samplingRatePerMillion: rate = 0
}: NonNullable<KubeletConfiguration["tracing"]>) => {
  const errors: Array<string> = []
  const addSamplingError = (reason: string) =>
    errors.push(`tracing.samplingRatePerMillion: Invalid value: ${rate}: ${reason}`)
  if (rate < 0) addSamplingError("sampling rate must be positive")
  if (rate > MILLION) addSamplingError("sampling rate per million must be less than or equal to one million")
  if (endpoint?.includes("//")) {
    const scheme = endpoint.slice(0, Math.max(0, endpoint.indexOf(":")))
    if (!SCHEMES.includes(scheme)) {
      errors.push(
        `tracing.endpoint: Invalid value: ${goQuote(endpoint)}: unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`
      )
    }
  }
  return errors
}

/**
 * Returns upstream's errors in the settings of metrics, logs and traces. Upstream: staging
 * component-base/{metrics,logs/api/v1,tracing/api/v1}.
 */
export const validateInstrumentation = (config: KubeletConfiguration, release: Release): ReadonlyArray<string> => {
  const { logging = {}, showHiddenMetricsForVersion = "" } = config
  const { format = "" } = logging
  return [
    ...validateHiddenMetrics(showHiddenMetricsForVersion, release),
    ...(FORMATS.includes(format) ? [] : [`logging.format: Invalid value: ${goQuote(format)}: Unsupported log format`]),
    ...(config.tracing === undefined ? [] : validateTracing(config.tracing))
  ]
}
