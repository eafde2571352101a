import { ControllerGates, type FeatureGates, kindNames } from "@rollcall/api"
import type { Cluster } from "@rollcall/cluster"
import {
  type ClientMaker,
  type ControllerManagerOptions,
  type ControlPlaneSettings,
  clientLimitOf,
  controllerManagerLayer,
  controllerManagerSettings,
  workloadConfigsOf
} from "@rollcall/control-plane"
import { type Flag, flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import { settingsInEffect } from "@rollcall/input"
import { layerNodeTtl } from "@rollcall/node-controller"
import type { Timers } from "@rollcall/time"
import {
  type AccountTokensConfig,
  isAccountToken,
  layerAccountTokens,
  layerClusterRoleAggregation,
  layerEndpoints,
  layerLegacyTokenCleaner,
  layerNamespaceController,
  layerPolicyStatus,
  layerRootCAPublisher,
  layerServiceAccounts,
  layerServiceCidrs,
  MetricsSource,
  type ReadApi,
  waitForObject
} from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CertificateAuthorities, certificateControllers } from "../certificates/controllers.ts"
import { signingFlags } from "../certificates/signingFiles.ts"
import {
  clientFlags,
  commonFlags,
  ignoredEverywhere,
  ignoredProxyFlags,
  layersFlag,
  leaderFlags,
  servingFlags
} from "../flags/common.ts"
import { controllersFlag, managerControllers } from "../flags/controllerNames.ts"
import { gatesFlag } from "../flags/gatesFlag.ts"
import { ignoredByManager, ignoredByManagers } from "../flags/managerIgnored.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { checkTypes } from "./checkTypes.ts"

/** A flag of releases before 1.27, which has no effect in any emulated release. */
const removedSwitch: Flag<boolean> = { ...flag.boolean(true, "", { hidden: true }), inert: true }

/** The command line of kube-controller-manager, with the flags of the supported controllers. */
export const controllerManagerProgram = {
  name: "kube-controller-manager",
  about:
    "Run the controllers of a cluster: node lifecycle, node IPAM, taint eviction, garbage collection, workloads, budgets, namespaces.",
  flags: {
    ...clientFlags,
    config: flag.text("", "a KubeControllerManagerConfiguration file; flags override it"),
    ...settingFlags(controllerManagerSettings),
    scenario: flag.text("", "a scenario file with settings of this component; --config and flags override it"),
    "root-ca-file": flag.text(
      "",
      "the PEM file of the CA that pods verify the API server with (default: the kubeconfig's)"
    ),
    ...signingFlags,
    "service-account-private-key-file": flag.text(
      "",
      "the PEM file of the key that signs the tokens in Secrets; without it no such Secret gets a token"
    ),
    "use-service-account-credentials": flag.boolean(
      false,
      "use the credentials of a service account for each controller"
    ),
    controllers: controllersFlag(managerControllers),
    "enable-garbage-collector": flag.boolean(true, "delete objects whose owners are deleted"),
    "enable-taint-manager": removedSwitch,
    "feature-gates": gatesFlag,
    ...leaderFlags("kube-controller-manager"),
    ...servingFlags(10_257),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredProxyFlags, ...ignoredByManagers, ...ignoredByManager],
  ...componentGrammar
} satisfies Program

export interface LiveControllers
  extends Pick<ControllerManagerOptions, "ipamLimit" | "isEnabled" | "observer" | "onFatal"> {
  readonly rootCA?: string
  /** Signs the tokens of service accounts in Secrets; without it no Secret gets one. */
  readonly signToken?: AccountTokensConfig["sign"]
  /** Who decides about certificates and signs them; without it no certificate controller runs. */
  readonly certificates?: CertificateAuthorities
  readonly gates?: FeatureGates
  /** Reads the metrics APIs, unless there is a `MetricsSource`; without it autoscalers have no metrics. */
  readonly readMetrics?: ReadApi
}

/** Kinds that the garbage collector watches. Events are numerous and own nothing. */
const collectedKinds = kindNames.filter((kind) => kind !== "Event")

interface LiveController {
  readonly name: string
  /** The name of its service account, if it is another. */
  readonly user?: string
  readonly layer: () => Layer.Layer<never, never, Cluster | Timers>
}

/** The controllers that rehearsals do without. */
const liveOnly: ReadonlyArray<LiveController> = [
  { name: "namespace-controller", layer: layerNamespaceController },
  { name: "endpoints-controller", user: "endpoint-controller", layer: () => layerEndpoints },
  { name: "clusterrole-aggregation-controller", layer: () => layerClusterRoleAggregation },
  { name: "serviceaccount-controller", user: "service-account-controller", layer: () => layerServiceAccounts },
  { name: "ttl-controller", layer: () => layerNodeTtl },
  { name: "service-cidr-controller", user: "service-cidrs-controller", layer: () => layerServiceCidrs },
  {
    name: "validatingadmissionpolicy-status-controller",
    layer: () => waitForObject("ValidatingAdmissionPolicy", layerPolicyStatus(checkTypes))
  }
]

/** The source of metrics in context, if there is one, or the APIs of the cluster. */
const metricsSource = (read: ReadApi | undefined): Layer.Layer<MetricsSource> =>
  Layer.unwrap(
    Effect.map(Effect.serviceOption(MetricsSource), (given) =>
      Option.isSome(given)
        ? Layer.succeed(MetricsSource, given.value)
        : read === undefined
          ? MetricsSource.layerNone
          : MetricsSource.layerApis(read)
    )
  )

/** Makes all controllers of a live cluster, each over a client of its own. */
export const liveControllers = (
  settings: ControlPlaneSettings,
  clients: ClientMaker,
  {
    certificates,
    gates,
    ipamLimit,
    isEnabled = () => true,
    observer,
    onFatal,
    readMetrics,
    rootCA,
    signToken
  }: LiveControllers = {}
): Layer.Layer<never, never, Timers> => {
  const { controllerManager } = settings.settings
  const { burst, qps } = settingsInEffect(controllerManagerSettings, controllerManager, settings.release)
  const client = (name: string) => clients.layer(name, clientLimitOf(name, { qps, burst }))
  const further = liveOnly.flatMap(({ name, user = name, layer }) =>
    isEnabled(name) ? [layer().pipe(Layer.provide(client(user)))] : []
  )
  if (certificates !== undefined) further.push(certificateControllers(certificates, client, isEnabled))
  if (rootCA !== undefined && isEnabled("root-ca-certificate-publisher-controller"))
    further.push(layerRootCAPublisher(rootCA).pipe(Layer.provide(client("root-ca-cert-publisher"))))
  if (signToken !== undefined && isEnabled("serviceaccount-token-controller")) {
    const tokens = layerAccountTokens({ rootCA, sign: signToken })
    further.push(waitForObject("Secret", tokens, isAccountToken).pipe(Layer.provide(client("tokens-controller"))))
  }
  if (isEnabled("legacy-serviceaccount-token-cleaner-controller")) {
    const { legacyTokens } = workloadConfigsOf(settings.settings.controllerManager, settings.release)
    const cleaner = waitForObject("Secret", layerLegacyTokenCleaner(legacyTokens), isAccountToken)
    further.push(cleaner.pipe(Layer.provide(client("legacy-service-account-token-cleaner"))))
  }
  const controllers = controllerManagerLayer({ ...settings, hasDevices: true }, clients, {
    collected: collectedKinds,
    further: Layer.mergeAll(Layer.empty, ...further),
    isEnabled,
    ...(ipamLimit === undefined ? {} : { ipamLimit }),
    ...(observer === undefined ? {} : { observer }),
    ...(onFatal === undefined ? {} : { onFatal })
  })
  return Layer.effectDiscard(Layer.build(controllers)).pipe(
    Layer.provide(gates === undefined ? Layer.empty : Layer.succeed(ControllerGates, gates)),
    Layer.provide(metricsSource(readMetrics))
  )
}
