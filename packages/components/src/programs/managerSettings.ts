import type { FeatureGates, Release } from "@rollcall/api"
import { type ControllerManagerSettings, checkIpam, controllerManagerSettings } from "@rollcall/control-plane"
import { readText } from "@rollcall/files"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { invalid, pickSettings, settingsOfFlags } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import type { ClientConfig } from "@rollcall/kube-client"
import type { AccountTokensConfig } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import { signingFiles } from "../certificates/signingFiles.ts"
import { remoteConfig } from "../clients/remote.ts"
import { isEnabled, managerControllers, missingControllers } from "../flags/controllerNames.ts"
import { gatesOf } from "../flags/featureGates.ts"
import { liveScenario } from "../up/liveScenario.ts"
import { readSettingsFile } from "./configFile.ts"
import type { controllerManagerProgram } from "./controllerManager.ts"
import { type ElectionSettings, electionSettings, leaderElectionFields } from "./electionConfig.ts"
import { releaseOf } from "./release.ts"

/** The settings of kube-controller-manager from its flags, its file and a scenario. */
export interface ManagerSettings {
  readonly release: Release
  readonly controllerManager: ControllerManagerSettings
  readonly election: ElectionSettings
  readonly gates: FeatureGates
  readonly isEnabled: (controller: string) => boolean
  /** The cluster and the user. */
  readonly config: ClientConfig
  /** The PEM of the CA with which pods verify the API server; empty if neither a flag nor the kubeconfig has one. */
  readonly rootCA: string
  readonly signing: Effect.Success<ReturnType<typeof signingFiles>>
  /** Signs the tokens in Secrets. */
  readonly signToken: AccountTokensConfig["sign"] | undefined
}

/** The most bytes of a CA file. */
const MAX_CA_BYTES = 4 << 20

/** The fields of its configuration file. */
export const managerFields = { ...controllerManagerSettings, ...leaderElectionFields("generic.leaderElection") }

/** Logs a warning for each setting without effect. */
const warnOfIneffective = Effect.fnUntraced(function* (
  controllers: ReadonlyArray<string>,
  { podEvictionTimeoutMs }: ControllerManagerSettings,
  release: Release
) {
  for (const controller of missingControllers(controllers, managerControllers)) {
    yield* Effect.logWarning("The controller is not supported and does not run").pipe(
      Effect.annotateLogs({ controller })
    )
  }
  if (podEvictionTimeoutMs !== undefined && release.podEviction !== "deletion") {
    yield* Effect.logWarning(
      "--pod-eviction-timeout has no effect: pods leave a lost node by their own tolerationSeconds; the flag is gone since 1.27"
    )
  }
})

const PRIVATE_KEY = "service-account-private-key-file"

/** Returns the signer of tokens in Secrets, if a file has its key. */
const tokenSigner = Effect.fnUntraced(function* (file: string) {
  if (file === "") return undefined
  const fault = (message: string) => invalid("command line", `--${PRIVATE_KEY}`, `${file} ${message}`)
  const pem = yield* Effect.mapError(readText(file, MAX_CA_BYTES), ({ message }) => fault(message))
  const { legacyTokenSigner } = yield* Effect.promise(() => import("@rollcall/api-server/security"))
  return yield* Effect.try({
    try: () => legacyTokenSigner(pem),
    catch: (error) => fault(`holds no private key: ${error instanceof Error ? error.message : String(error)}`)
  })
})

/** Reads and checks all settings, before anything starts. */
export const managerSettingsOf = Effect.fnUntraced(function* (
  values: FlagValues<typeof controllerManagerProgram.flags>,
  { given }: Pick<Parsed<unknown>, "given">
) {
  const plan = yield* liveScenario(values.scenario, { reader: "rollcall controller-manager", release: values.release })
  const release = plan?.release ?? (yield* Effect.fromResult(releaseOf(values.release)))
  const fileSettings = yield* readSettingsFile(managerFields, values.config)
  const election = yield* Effect.fromResult(electionSettings(values.config, fileSettings, values, given))
  const controllerManager = {
    ...plan?.settings.controllerManager,
    ...pickSettings(controllerManagerSettings, fileSettings),
    ...settingsOfFlags(controllerManagerSettings, values)
  }
  yield* Effect.fromResult(checkIpam("command line", "", controllerManager))
  const gates = yield* gatesOf(release, values["feature-gates"])
  yield* warnOfIneffective(values.controllers, controllerManager, release)
  const config = yield* remoteConfig(values)
  const caFile = values["root-ca-file"]
  const rootCA =
    caFile === ""
      ? (config.tls.ca ?? "")
      : yield* Effect.mapError(readText(caFile, MAX_CA_BYTES), ({ message }) =>
          invalid("command line", "--root-ca-file", `${caFile} ${message}`)
        )
  const signToken = yield* tokenSigner(values[PRIVATE_KEY])
  const settings: ManagerSettings = {
    release,
    controllerManager,
    election,
    gates,
    config,
    rootCA,
    signing: yield* signingFiles(values),
    signToken,
    isEnabled: (controller) =>
      isEnabled(values.controllers, controller) &&
      (controller !== "garbage-collector-controller" || values["enable-garbage-collector"]) &&
      (controller !== "node-ipam-controller" || controllerManager.allocateNodeCIDRs === true)
  }
  return settings
}, withLineNumbers)
