import { didYouMean } from "@rollcall/api/text"
import { type Flag, flag } from "@rollcall/flags"
import * as Result from "effect/Result"

/** Plugins that a server of Rollcall has, and that can be left out. */
const here: ReadonlyArray<string> = [
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "NodeRestriction",
  "Priority",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition"
]

/** On in Kubernetes, and not here. That of NamespaceLifecycle the server sees to itself, whatever flags say. */
const onElsewhere: ReadonlyArray<string> = [
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceLifecycle",
  "NodeDeclaredFeatureValidator",
  "PersistentVolumeClaimResize",
  "PodSecurity",
  "PodTopologyLabels",
  "ResourceQuota",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook"
]

/** Off in Kubernetes unless they are asked for, and not here. */
const offElsewhere: ReadonlyArray<string> = [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction"
]

const known = [...here, ...onElsewhere, ...offElsewhere]

const pluginsFlag = (name: string, help: string): Flag<ReadonlyArray<string>> => {
  const { expected: _, ...plugins } = flag.texts(help)
  return {
    ...plugins,
    read: (text, previous) =>
      Result.flatMap(plugins.read(text, previous), (chosen) => {
        const unknown = chosen.find((plugin) => !known.includes(plugin))
        if (unknown === undefined) return Result.succeed(chosen)
        return Result.fail(`${name} plugin ${JSON.stringify(unknown)} is unknown${didYouMean(unknown, known)}`)
      })
  }
}

/** Upstream: staging/src/k8s.io/apiserver/pkg/server/options/admission.go. */
export const admissionFlags = {
  "enable-admission-plugins": pluginsFlag(
    "enable-admission-plugins",
    "admission plugins to enable in addition to the default ones"
  ),
  "disable-admission-plugins": pluginsFlag("disable-admission-plugins", "admission plugins to disable")
} as const

export interface ChosenPlugins {
  /** What cannot be; undefined: nothing. */
  readonly problem?: string
  readonly warnings: ReadonlyArray<string>
}

/** What is to be said about the plugins that were asked for. */
export const judgePlugins = (enabled: ReadonlyArray<string>, disabled: ReadonlyArray<string>): ChosenPlugins => {
  const both = enabled.filter((plugin) => disabled.includes(plugin)).sort()
  return {
    ...(both.length === 0
      ? {}
      : { problem: `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped` }),
    warnings: enabled
      .filter((plugin) => !here.includes(plugin) && plugin !== "NamespaceLifecycle")
      .map((plugin) => `the admission plugin ${plugin} is not here, and admits everything`)
  }
}
