import { goQuote } from "@rollcall/api"
import { type KubeletContent, type KubeletResponse, text } from "./KubeletRequest.ts"
import { anyContainer, type ServedPod } from "./streams/containerRun.ts"
import { statusNamed } from "./streams/logStream.ts"

/** Returns the pod and the container of a command, if that runs; the path may have the pod's uid before the container. */
export const runningContainer = (
  { streams }: KubeletContent,
  path: string
): { readonly served: ServedPod; readonly container: string } | KubeletResponse => {
  const [, , namespace = "", name = "", ...rest] = path.split("/")
  const container = rest.at(-1) ?? ""
  const served = streams.podNamed(namespace, name)
  if (served === undefined || (rest.length > 1 && served.pod.metadata.uid !== rest[0])) {
    return text(404, "pod does not exist")
  }
  const running = statusNamed(served, container)?.state?.running
  if (anyContainer(served.pod, container) === undefined || running === undefined) {
    return text(500, `container not found (${goQuote(container)})`)
  }
  return { served, container }
}
