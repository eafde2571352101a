import { type Pod, podReferences, type Secret } from "@rollcall/api"
import { type ClusterError, type ClusterShape, Controller, isConflict, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { INVALID_SINCE, judgeToken, readDay, type TokenVerdict, trackedLongEnough } from "./legacyTokens.ts"

export interface LegacyTokensConfig {
  /** `--legacy-service-account-token-clean-up-period` */
  readonly cleanUpPeriodMs: number
}

/** Upstream: pkg/controller/serviceaccount/config/v1alpha1/defaults.go. */
export const defaultLegacyTokensConfig: LegacyTokensConfig = { cleanUpPeriodMs: 365 * 86_400_000 }

/** Upstream: DefaultCleanerSyncInterval. */
const SYNC_MS = 86_400_000

const TRACKING = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" }
const SYNC = "sync"

const logError = (message: string, err: string, fields: Readonly<Record<string, string>> = {}) =>
  Effect.logError(message).pipe(Effect.annotateLogs({ err, ...fields }))

const keyOf = ({ metadata: { name, namespace } }: Secret): string => `${namespace}/${name}`

/** Reads since which day the uses of tokens are tracked. */
const trackedSince = (cluster: ClusterShape): Effect.Effect<number, string> =>
  cluster.get("ConfigMap", TRACKING).pipe(
    Effect.mapError(({ message }) => message),
    Effect.flatMap(({ data }) => {
      const since = data?.since
      if (since === undefined) return Effect.fail("configMap does not have since label")
      const day = readDay(since)
      return day === undefined
        ? Effect.fail(`error parsing trackedSince time: ${JSON.stringify(since)}`)
        : Effect.succeed(day)
    })
  )

const apply = (cluster: ClusterShape, secret: Secret, verdict: TokenVerdict): Effect.Effect<void> => {
  const { name = "", namespace, resourceVersion, uid } = secret.metadata
  const fields = { secret: keyOf(secret) }
  const logged = (message: string) => Effect.catch(({ message: err }: ClusterError) => logError(message, err, fields))
  if (verdict.do === "report") return logError("Parsing lastUsed time", verdict.error, fields)
  if (verdict.do === "mark") {
    const metadata = { uid, labels: { [INVALID_SINCE]: verdict.since } }
    return Effect.logInfo("Mark the auto-generated service account token as invalid").pipe(
      Effect.annotateLogs({ invalidSince: verdict.since, ...fields }),
      Effect.andThen(cluster.patch("Secret", { namespace, name }, "merge", { metadata })),
      Effect.asVoid,
      logged("Failed to label legacy service account token secret with invalid since date")
    )
  }
  if (verdict.do === "keep") return Effect.void
  const times = { creationTime: secret.metadata.creationTimestamp ?? "", lastUsed: verdict.lastUsed }
  return Effect.logInfo("Delete auto-generated service account token").pipe(
    Effect.annotateLogs({ ...fields, ...times, invalidSince: verdict.since }),
    Effect.andThen(
      cluster.delete(
        "Secret",
        { namespace, name },
        resourceVersion === undefined ? {} : { preconditions: { resourceVersion } }
      )
    ),
    Effect.catchIf(
      (error) => isConflict(error) || isNotFound(error),
      () => Effect.void
    ),
    Effect.asVoid,
    logged("Deleting legacy service account token")
  )
}

/** Remembers which Secrets the pods of each namespace name. */
const mountedSecrets = (podsIn: (namespace: string) => ReadonlyArray<Pod>) => {
  const known = new Map<string, ReadonlySet<string>>()
  return (namespace: string): ReadonlySet<string> => {
    const found = known.get(namespace) ?? new Set(podsIn(namespace).flatMap((pod) => [...podReferences(pod).secrets]))
    known.set(namespace, found)
    return found
  }
}

/**
 * Marks, and later deletes, the tokens that were generated for service accounts and are no longer used. It looks once a
 * day. Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.
 */
export const layerLegacyTokenCleaner = (settings: Partial<LegacyTokensConfig> = {}) => {
  const { cleanUpPeriodMs } = { ...defaultLegacyTokensConfig, ...settings }
  return Controller.make({
    name: "legacy-service-account-token-cleaner",
    queue: "",
    for: "Secret",
    when: () => false,
    watches: { ServiceAccount: {}, Pod: { indexes: { namespace: ({ metadata }) => metadata.namespace } } },
    reconcile: ({ cache, cluster, queue, timers }) => {
      const evaluate = Effect.gen(function* () {
        const now = timers.now()
        if (!trackedLongEnough(yield* trackedSince(cluster), now, cleanUpPeriodMs)) return
        const mountedIn = mountedSecrets((namespace) => cache("Pod").byIndex("namespace", namespace))
        for (const secret of cache("Secret").list()) {
          const { annotations = {}, name = "", namespace = "" } = secret.metadata
          const account = cache("ServiceAccount").find(
            annotations["kubernetes.io/service-account.name"] ?? "",
            namespace
          )
          const uid = annotations["kubernetes.io/service-account.uid"] ?? ""
          const isOwn = uid === "" || uid === account?.metadata.uid
          const verdict = judgeToken(secret, {
            now,
            cleanUpPeriodMs,
            account: isOwn ? account : undefined,
            isMounted: () => mountedIn(namespace).has(name)
          })
          yield* apply(cluster, secret, verdict)
        }
      })
      queue.add(SYNC)
      return () =>
        Effect.catch(evaluate, (error) => logError("Getting lastest possible tracked_since time", error)).pipe(
          Effect.andThen(Effect.sync(() => queue.addAfter(SYNC, SYNC_MS)))
        )
    }
  })
}
