import { didYouMean } from "@rollcall/api/text"
import { type Flag, flag } from "@rollcall/flags"
import * as Result from "effect/Result"

/** Plugins that Rollcall supports and that flags can disable. */
const supported: ReadonlyArray<string> = [
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NodeDeclaredFeatureValidator",
  "NodeRestriction",
  "PersistentVolumeClaimResize",
  "PodResizeValidator",
  "PodSecurity",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook"
]

/**
 * Plugins that Kubernetes enables by default and Rollcall lacks. The server always applies the rules of
 * NamespaceLifecycle.
 */
const unsupportedDefaults: ReadonlyArray<string> = ["ClusterTrustBundleAttest", "NamespaceLifecycle"]

/** Plugins that Kubernetes disables by default and Rollcall lacks. */
const unsupportedOptional: ReadonlyArray<string> = [
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

const known = [...supported, ...unsupportedDefaults, ...unsupportedOptional]

/** Makes a flag with names of plugins; unknown names are errors. */
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

/** The flags of admission plugins. Upstream: staging/src/k8s.io/apiserver/pkg/server/options/admission.go. */
export const admissionFlags = {
  "enable-admission-plugins": pluginsFlag(
    "enable-admission-plugins",
    "admission plugins to enable in addition to the default ones"
  ),
  "disable-admission-plugins": pluginsFlag("disable-admission-plugins", "admission plugins to disable"),
  "admission-control-config-file": flag.text(
    "",
    "a file with the AdmissionConfiguration of admission plugins; that of PodSecurity has an effect"
  )
} as const

export interface PluginCheck {
  /** The error if a plugin is both enabled and disabled; absent if none is. */
  readonly problem?: string
  readonly warnings: ReadonlyArray<string>
}

/** Returns the problem and the warnings of the chosen plugins. */
export const checkPlugins = (enabled: ReadonlyArray<string>, disabled: ReadonlyArray<string>): PluginCheck => {
  const enabledAndDisabled = enabled.filter((plugin) => disabled.includes(plugin)).sort()
  return {
    ...(enabledAndDisabled.length === 0
      ? {}
      : {
          problem: `[${enabledAndDisabled.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`
        }),
    warnings: enabled
      .filter((plugin) => !supported.includes(plugin) && plugin !== "NamespaceLifecycle")
      .map((plugin) => `the admission plugin ${plugin} is not here, and admits everything`)
  }
}
