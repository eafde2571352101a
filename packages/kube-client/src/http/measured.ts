import { counter, type Distribution, exponentialBuckets, histogram, type MetricSet, type Value } from "@rollcall/time"
import * as Result from "effect/Result"
import type { RawRequest } from "./RawRequest.ts"
import type { Transport } from "./Transport.ts"

const sizes = [64, 256, 512, 1024, 4096, ...exponentialBuckets(16_384, 4, 6)]

/* Upstream: component-base/metrics/prometheus/restclient/metrics.go. */
export const clientFamilies = {
  requests: counter("rest_client_requests_total", "ALPHA", "Requests to API servers by code, method and host.", [
    "code",
    "method",
    "host"
  ]),
  durations: histogram(
    "rest_client_request_duration_seconds",
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    "ALPHA",
    "How long requests to API servers took.",
    ["verb", "host"]
  ),
  requestSizes: histogram("rest_client_request_size_bytes", sizes, "ALPHA", "The sizes of requests in bytes.", [
    "verb",
    "host"
  ]),
  responseSizes: histogram("rest_client_response_size_bytes", sizes, "ALPHA", "The sizes of responses in bytes.", [
    "verb",
    "host"
  ])
}

/** The requests of one method. */
interface Series {
  readonly codes: Map<string, Value>
  readonly durations: Distribution
  readonly requestSizes: Distribution
  readonly responseSizes: Distribution
}

/** The code of a request that had no response, as client-go writes it. */
const NO_CODE = "<error>"

/** Returns a transport whose requests are counted and measured; a watch counts when its response begins. */
export const measuredTransport = (transport: Transport, set: MetricSet, host: string, now: () => number): Transport => {
  const byMethod = new Map<string, Series>()
  const seriesOf = (method: string): Series => {
    const known = byMethod.get(method)
    if (known !== undefined) return known
    const labels = { verb: method, host }
    const made = {
      codes: new Map<string, Value>(),
      durations: set.distributions(clientFamilies.durations).with(labels),
      requestSizes: set.distributions(clientFamilies.requestSizes).with(labels),
      responseSizes: set.distributions(clientFamilies.responseSizes).with(labels)
    }
    byMethod.set(method, made)
    return made
  }
  const count = (method: string, code: string) => {
    const { codes } = seriesOf(method)
    let known = codes.get(code)
    if (known === undefined) {
      known = set.values(clientFamilies.requests).with({ code, method, host })
      codes.set(code, known)
    }
    known.add()
  }
  const begin = ({ body, method }: RawRequest) => {
    const beganMs = now()
    return (code: string, bytes: number | undefined) => {
      const { durations, requestSizes, responseSizes } = seriesOf(method)
      count(method, code)
      durations.observe((now() - beganMs) / 1000)
      requestSizes.observe(body?.length ?? 0)
      if (bytes !== undefined) responseSizes.observe(bytes)
    }
  }
  return {
    close: transport.close,
    request: (raw, reply) => {
      const end = begin(raw)
      return transport.request(raw, (result) => {
        if (Result.isSuccess(result)) end(String(result.success.code), result.success.body.length)
        else end(NO_CODE, undefined)
        reply(result)
      })
    },
    stream: (raw, sink) => {
      const end = begin(raw)
      let hasBegun = false
      return transport.stream(raw, {
        ...sink,
        head: (code, headers) => {
          hasBegun = true
          end(String(code), undefined)
          return sink.head(code, headers)
        },
        end: (error) => {
          if (!hasBegun) end(NO_CODE, undefined)
          sink.end(error)
        }
      })
    }
  }
}
