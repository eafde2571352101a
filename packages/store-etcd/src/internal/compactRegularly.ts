import { create } from "@bufbuild/protobuf"
import * as Effect from "effect/Effect"
import { RequestOpSchema, TxnRequestSchema, type TxnResponse } from "../generated/etcd_pb.ts"
import type { Endpoints } from "./Endpoints.ts"

/**
 * The key whose version counts compactions. It is kube-apiserver's, outside of `--etcd-prefix`: API servers of both kinds
 * on one etcd compact once between them. Upstream: storage/etcd3/compact.go.
 */
const KEY = new TextEncoder().encode("compact_rev_key")
const EQUAL = 0
const VERSION = 0

/** What a compactor knows: the version of the key when it last looked, and the revision then. */
interface Seen {
  readonly version: bigint
  readonly revision: bigint
}

const request = ({ revision, version }: Seen) =>
  create(TxnRequestSchema, {
    compare: [{ key: KEY, result: EQUAL, target: VERSION, targetUnion: { case: "version", value: version } }],
    success: [
      create(RequestOpSchema, {
        request: { case: "requestPut", value: { key: KEY, value: new TextEncoder().encode(String(revision)) } }
      })
    ],
    failure: [create(RequestOpSchema, { request: { case: "requestRange", value: { key: KEY } } })]
  })

/** Returns what is seen after an attempt. */
const seenAfter = ({ version }: Seen, { header, responses, succeeded }: TxnResponse): Seen => {
  const response = responses[0]?.response
  const kv = response?.case === "responseRange" ? response.value.kvs[0] : undefined
  return { revision: header?.revision ?? 0n, version: succeeded ? version + 1n : (kv?.version ?? 0n) }
}

/**
 * Compacts what was written before the last interval, unless another server has done so. A failure is left to the next
 * interval.
 */
export const compactRegularly = (
  endpoints: Endpoints,
  intervalMs: number,
  timeoutMs: number,
  compact: (revision: number) => Effect.Effect<void, unknown>
): Effect.Effect<never> => {
  let seen: Seen = { version: 0n, revision: 0n }
  const attempt = Effect.gen(function* () {
    const before = seen
    const answer = yield* endpoints.ask({
      timeoutMs,
      isRepeatable: true,
      send: ({ txn }, options) => txn(request(before), options)
    })
    seen = seenAfter(before, answer)
    if (answer.succeeded && before.revision > 0n) yield* compact(Number(before.revision))
  })
  return attempt.pipe(Effect.ignore, Effect.delay(intervalMs), Effect.forever)
}
