import { goQuote } from "@rollcall/api"
import { type KubeletContent, type SettledResponse, text } from "./KubeletRequest.ts"
import { anyContainer, type ServedPod } from "./streams/containerRun.ts"
import { statusNamed } from "./streams/logStream.ts"

/** What a path names, and the refusal of a container that does not run. */
interface Asked {
  readonly container: string
  /** The pod's name and its namespace as the kubelet joins them. */
  readonly fullName: string
}

const notFoundForCommand = ({ container }: Asked): string => `container not found (${goQuote(container)})`

/**
 * Returns the pod and the container of a command, if that runs. The path may have a uid before the container, which upstream's
 * kubelet does not heed where it has the pod's name. Upstream: pkg/kubelet findContainer.
 */
export const runningContainer = (
  { streams }: Pick<KubeletContent, "streams">,
  path: string,
  missing: (asked: Asked) => string = notFoundForCommand
): { readonly served: ServedPod; readonly container: string; readonly uid: string | undefined } | SettledResponse => {
  const [, , namespace = "", name = "", ...rest] = path.split("/")
  const container = rest.at(-1) ?? ""
  const served = streams.podNamed(namespace, name)
  if (served === undefined) return text(404, "pod does not exist")
  const running = statusNamed(served, container)?.state?.running
  if (anyContainer(served.pod, container) === undefined || running === undefined) {
    return text(500, missing({ container, fullName: `${name}_${namespace}` }))
  }
  return { served, container, uid: rest.length > 1 ? rest[0] : undefined }
}
