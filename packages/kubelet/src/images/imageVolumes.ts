import type { Container, Pod } from "@rollcall/api"

type PodVolume = NonNullable<Pod["spec"]["volumes"]>[number]

const NONE: ReadonlyArray<Container> = []

/** Returns the image of a volume as that of a container with the volume's name; undefined if the volume is none. */
const imageOf = ({ image, name }: PodVolume): Container | undefined => {
  const { pullPolicy, reference = "" } = (image ?? {}) as { readonly pullPolicy?: string; readonly reference?: string }
  if (reference === "") return undefined
  return { name, image: reference, ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy }) }
}

/** Returns the images of the volumes of a pod, each as that of a container with the volume's name. */
export const volumeImages = ({ spec: { volumes = [] } }: Pod): ReadonlyArray<Container> =>
  volumes.length === 0 ? NONE : volumes.flatMap((volume) => imageOf(volume) ?? [])

/** Returns those that a container mounts. */
export const mountedImages = (pod: Pod, { volumeMounts = [] }: Pick<Container, "volumeMounts">) => {
  const images = volumeMounts.length === 0 ? NONE : volumeImages(pod)
  return images.filter(({ name }) => volumeMounts.some((mount) => mount.name === name))
}

/** Returns a pod in which a runtime finds the image of a volume under the volume's name. */
export const withVolumeImage = (pod: Pod, image: Container): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: [image, ...pod.spec.containers] }
})
