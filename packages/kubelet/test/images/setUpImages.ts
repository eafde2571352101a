import type { Pod } from "@rollcall/api"
import {
  type CredentialPluginsSetting,
  type KubeletMeter,
  kubeletConfig,
  type ModelledPodRuntimeOptions,
  makeModelledHost,
  makeModelledPodRuntime
} from "../../src/index.ts"
import { makeRecorder, startKubelet } from "../pod/lifeOf.ts"

interface ImagesSetUp {
  readonly images?: ModelledPodRuntimeOptions["images"]
  readonly config?: Parameters<typeof kubeletConfig>[0]
  readonly meter?: KubeletMeter
  readonly credentialPlugins?: CredentialPluginsSetting
  readonly disk?: string
}

/** A kubelet whose node has the given images, and asks a registry for others. */
export const setUpImages = ({ config = {}, disk = "100Gi", images, ...options }: ImagesSetUp) => {
  let now = () => 0
  const capacity = { cpu: "8", memory: "32Gi", "ephemeral-storage": disk }
  const host = makeModelledHost({ name: "n1", capacity, resources: { now: () => now() } })
  const { events, recorder } = makeRecorder()
  const testNode = startKubelet({
    recorder,
    host,
    config: kubeletConfig(config),
    runtime: (timers) => {
      now = timers.now
      return makeModelledPodRuntime(timers, images === undefined ? {} : { images }, host)
    },
    ...options
  })
  return { ...testNode, events, host, testNode }
}

export const imageContainer = (image: string, imagePullPolicy?: string): Pod["spec"]["containers"][number] => ({
  name: "c",
  image,
  ...(imagePullPolicy === undefined ? {} : { imagePullPolicy })
})

/** The Events of containers and images. */
export const imageEvents = (events: ReadonlyArray<string>): ReadonlyArray<string> =>
  events.filter((event) => !/ (Created|Started|Starting|Node\w*) /.test(event))

/** The content of a Secret with the credentials for a registry. */
export const dockerConfigSecret = (registry: string, username: string, password: string) => ({
  type: "kubernetes.io/dockerconfigjson",
  data: {
    ".dockerconfigjson": btoa(JSON.stringify({ auths: { [registry]: { auth: btoa(`${username}:${password}`) } } }))
  }
})
