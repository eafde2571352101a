import type { Pod } from "@rollcall/api"
import type { Images } from "../cache/Images.ts"
import { MAX_NODE_SCORE, type ScorePlugin } from "../Plugin.ts"

const mebibyte = 1024 * 1024
const minThreshold = 23 * mebibyte
const maxContainerThreshold = 1000 * mebibyte

const withTag = (image: string): string =>
  image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image

const imagesOf = ({ containers, initContainers = [], volumes = [] }: Pod["spec"]): ReadonlyArray<string> => {
  const images: Array<string> = []
  for (const { image } of initContainers) if (image !== undefined) images.push(withTag(image))
  for (const { image } of containers) if (image !== undefined) images.push(withTag(image))
  for (const { image } of volumes) if (typeof image?.reference === "string") images.push(withTag(image.reference))
  return images
}

/**
 * The contribution of each image that a node has: an image on few nodes counts less, so that pods do not pile up
 * there.
 */
const gains = (spec: Pod["spec"], images: Images, nodes: number) => {
  const wanted: Array<{ readonly nodes: ReadonlySet<string>; readonly gain: number }> = []
  for (const name of imagesOf(spec)) {
    const state = images.get(name)
    if (state === undefined) continue
    wanted.push({ nodes: state.nodes, gain: Math.trunc(state.sizeBytes * (state.nodes.size / nodes)) })
  }
  return wanted
}

/** Prefers nodes that have the pod's images. Upstream: pkg/scheduler/framework/plugins/imagelocality. */
export const imageLocality: ScorePlugin = {
  name: "ImageLocality",
  weight: 1,
  score: ({ pod: { spec } }, nodes, cache, scores) => {
    const wanted = gains(spec, cache.images, cache.nodes().length)
    const maxThreshold = maxContainerThreshold * (spec.containers.length + (spec.initContainers?.length ?? 0))
    for (let index = 0; index < nodes.length; index++) {
      let sum = 0
      for (const image of wanted) if (image.nodes.has(nodes[index]?.name ?? "")) sum += image.gain
      const clamped = Math.min(Math.max(sum, minThreshold), maxThreshold)
      scores[index] = Math.trunc((MAX_NODE_SCORE * (clamped - minThreshold)) / (maxThreshold - minThreshold))
    }
    return true
  }
}
