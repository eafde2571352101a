import { parseDuration, value } from "@rollcall/api"
import { type Wrong, wrongValue } from "@rollcall/input"
import { fullImageName, type ModelledImageOptions } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import type { ImagesSpec } from "./NodeGroup.ts"

/** Returns the images of the machines of a group, as their runtimes take them. */
export const imagesOf = ({ missing, present, pullTime, pullTimes, size }: ImagesSpec): ModelledImageOptions => ({
  ...(present === undefined ? {} : { present }),
  ...(missing === undefined ? {} : { missing }),
  ...(pullTime === undefined ? {} : { pullMs: parseDuration(pullTime) }),
  ...(pullTimes === undefined
    ? {}
    : { pullMsOf: Object.fromEntries(Object.entries(pullTimes).map(([image, time]) => [image, parseDuration(time)])) }),
  ...(size === undefined ? {} : { sizeBytes: value(String(size)) })
})

/** Returns the first name that is no image's, with its path; undefined if all are. */
export const imageNameProblem = ({
  missing = [],
  present = [],
  pullTimes = {}
}: ImagesSpec): readonly [path: string, problem: Wrong] | undefined => {
  const named = [
    ...present.map((name, index) => [`images.present[${index}]`, name] as const),
    ...missing.map((name, index) => [`images.missing[${index}]`, name] as const),
    ...Object.keys(pullTimes).map((name) => [`images.pullTimes.${name}`, name] as const)
  ]
  const wrong = named.find(([, name]) => Result.isFailure(fullImageName(name)))
  return wrong === undefined ? undefined : [wrong[0], wrongValue(wrong[1], "the name of an image")]
}
