import {
  formatAmounts,
  type KindName,
  type KubeObject,
  type LimitRange,
  type Pod,
  parseTime,
  type ResourceQuota,
  resourceOf,
  type Status
} from "@rollcall/api"
import {
  type CountedObjects,
  claimLimitFaults,
  evaluatorOf,
  groupResourceText,
  podLimitFaults,
  quotaUsage,
  withLimitDefaults
} from "@rollcall/api/quota"
import { type AdmissionContext, defaultAdmissionPlugins } from "@rollcall/api-server"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

type Given = { readonly given: Json }

const resourceText = ({ kind }: KubeObject): string => groupResourceText(resourceOf(kind as KindName))

const objectUsage = ({ given }: Given): Json => ({
  usage: formatAmounts(
    evaluatorOf(resourceText(given.object))?.usage(given.object, { now: parseTime(given.now) }) ?? {}
  )
})

const usage = ({ given }: Given): Json => {
  const counted: ReadonlyArray<CountedObjects> = ["Pod", "PersistentVolumeClaim", "Service"].flatMap((kind) => {
    const evaluator = evaluatorOf(groupResourceText(resourceOf(kind as KindName)))
    if (evaluator === undefined) return []
    return [{ evaluator, objects: given.objects.filter((object: KubeObject) => object.kind === kind) }]
  })
  return { used: formatAmounts(quotaUsage(given.quota, counted, { now: parseTime(given.now) })) }
}

const [quotaPlugin] = defaultAdmissionPlugins().filter(({ name }) => name === "ResourceQuota")

const admission = ({ given }: Given): Json => {
  const stored = new Map<string, ResourceQuota>(
    given.quotas.map((quota: ResourceQuota) => [quota.metadata.name, quota])
  )
  const context: AdmissionContext = {
    reader: {
      get: () => undefined,
      list: () => [...stored.values()] as ReadonlyArray<KubeObject> as ReadonlyArray<never>,
      observe: () => undefined
    },
    updateStatus: (quota, done) => {
      stored.set(quota.metadata.name ?? "", quota as ResourceQuota)
      done(Result.succeed(quota))
    },
    now: () => parseTime(given.now),
    makeName: (base) => base
  }
  let refusal: Status | undefined
  quotaPlugin?.reserve?.(
    {
      verb: given.operation.toLowerCase(),
      kind: given.object.kind,
      resource: resourceOf(given.object.kind as KindName),
      subresource: given.subresource,
      namespace: "ns",
      name: given.object.metadata.name,
      object: given.object,
      oldObject: given.oldObject,
      userInfo: { user: "user", groups: [] },
      dryRun: false
    },
    context,
    (status) => {
      refusal = status
    }
  )
  if (refusal !== undefined) return { allowed: false, message: refusal.message }
  return { allowed: true, used: [...stored.values()].map(({ status }) => status?.used) }
}

const limitDefaults = ({ given }: Given): Json => {
  const pod: Pod = given.limitRanges.reduce((pod: Pod, range: LimitRange) => withLimitDefaults(pod, range), {
    ...given.pod,
    metadata: { ...given.pod.metadata }
  })
  const annotation = pod.metadata.annotations?.["kubernetes.io/limit-ranger"]
  const { containers, initContainers = [], resources } = pod.spec
  const shown = (list: Pod["spec"]["containers"]) => list.map(({ name, resources = {} }) => ({ name, resources }))
  return {
    containers: shown(containers),
    initContainers: shown(initContainers),
    ...(resources === undefined ? {} : { resources }),
    ...(annotation === undefined ? {} : { annotation })
  }
}

const limits = ({ given }: Given): Json => {
  const faults =
    given.pod === undefined
      ? claimLimitFaults(given.claim, given.limitRange)
      : podLimitFaults(given.pod, given.limitRange)
  return { errors: [...faults].sort() }
}

export const quotaAdapters: Adapters = {
  "quota/object-usage": objectUsage,
  "quota/usage": usage,
  "quota/admission": admission,
  "limitrange/defaults": limitDefaults,
  "limitrange/validate": limits
}
