import type { Pod } from "@rollcall/api"
import type { Images } from "../cache/Images.ts"
import { MAX_NODE_SCORE, type ScorePlugin } from "../Plugin.ts"

/** Images of less than 23 MiB in all score 0; for each container, 1000 MiB score 100. */
const mebibyte = 1024 * 1024
const minThreshold = 23 * mebibyte
const maxContainerThreshold = 1000 * mebibyte

/** The name of an image as nodes report it: with the tag `latest` if it has none. */
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
 * What each image of the pod adds to the nodes that have it: its size, reduced for an image on few nodes, so that not
 * all pods go to these.
 */
const imageValues = (spec: Pod["spec"], images: Images, nodes: number) => {
  const values: Array<{ readonly nodes: ReadonlySet<string>; readonly bytes: number }> = []
  for (const name of imagesOf(spec)) {
    const state = images.get(name)
    if (state === undefined) continue
    values.push({ nodes: state.nodes, bytes: Math.trunc(state.sizeBytes * (state.nodes.size / nodes)) })
  }
  return values
}

/** Prefers nodes that have the pod's images. Upstream: pkg/scheduler/framework/plugins/imagelocality. */
export const imageLocality: ScorePlugin = {
  name: "ImageLocality",
  weight: 1,
  score: ({ pod: { spec } }, nodes, cache, scores) => {
    const values = imageValues(spec, cache.images, cache.nodes().length)
    const maxThreshold = maxContainerThreshold * (spec.containers.length + (spec.initContainers?.length ?? 0))
    for (let index = 0; index < nodes.length; index++) {
      let sum = 0
      for (const image of values) if (image.nodes.has(nodes[index]?.name ?? "")) sum += image.bytes
      const clamped = Math.min(Math.max(sum, minThreshold), maxThreshold)
      scores[index] = Math.trunc((MAX_NODE_SCORE * (clamped - minThreshold)) / (maxThreshold - minThreshold))
    }
    return true
  }
}
