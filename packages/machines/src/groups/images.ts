import { parseDuration, value } from "@rollcall/api"
import { type Wrong, wrongValue } from "@rollcall/input"
import { fullImageName, type ModelledImageOptions } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import type { ImagesSpec } from "./NodeGroup.ts"
import { quantityProblem } from "./quantityProblem.ts"

/** Returns the images of the machines of a group, as their runtimes take them. */
export const imagesOf = ({
  credentials,
  dockerConfig,
  missing,
  present,
  pullTime,
  pullTimes,
  size,
  sizes
}: ImagesSpec): ModelledImageOptions => ({
  ...(present === undefined ? {} : { present }),
  ...(missing === undefined ? {} : { missing }),
  ...(pullTime === undefined ? {} : { pullMs: parseDuration(pullTime) }),
  ...(pullTimes === undefined
    ? {}
    : { pullMsOf: Object.fromEntries(Object.entries(pullTimes).map(([image, time]) => [image, parseDuration(time)])) }),
  ...(size === undefined ? {} : { sizeBytes: value(String(size)) }),
  ...(sizes === undefined
    ? {}
    : { sizeBytesOf: Object.fromEntries(Object.entries(sizes).map(([image, size]) => [image, value(String(size))])) }),
  ...(credentials === undefined ? {} : { credentials }),
  ...(dockerConfig === undefined ? {} : { dockerConfig })
})

type Problem = readonly [path: string, problem: Wrong]

/** Returns the first size or credentials that are none, with their path; undefined if all are. */
const valueProblem = ({
  credentials = {},
  dockerConfig = {},
  size = 0,
  sizes = {}
}: ImagesSpec): Problem | undefined => {
  const sized = [
    ["images.size", size] as const,
    ...Object.entries(sizes).map(([name, size]) => [`images.sizes.${name}`, size] as const)
  ]
  for (const [path, size] of sized) {
    const problem = quantityProblem(size)
    if (problem !== undefined) return [path, problem]
  }
  for (const [field, users] of Object.entries({ credentials, dockerConfig })) {
    const wrong = Object.entries(users).find(([, text]) => !/^[^:]+:/.test(text))
    if (wrong !== undefined) {
      return [`images.${field}.${wrong[0]}`, wrongValue(wrong[1], "a user name and a password, joined by a colon")]
    }
  }
  return undefined
}

/** Returns the first mistake of the images of a group, with its path; undefined if there is none. */
export const imagesProblem = (images: ImagesSpec): Problem | undefined => {
  const { missing = [], present = [], pullTimes = {}, sizes = {} } = images
  const named = [
    ...present.map((name, index) => [`images.present[${index}]`, name] as const),
    ...missing.map((name, index) => [`images.missing[${index}]`, name] as const),
    ...Object.keys(pullTimes).map((name) => [`images.pullTimes.${name}`, name] as const),
    ...Object.keys(sizes).map((name) => [`images.sizes.${name}`, name] as const)
  ]
  const wrong = named.find(([, name]) => Result.isFailure(fullImageName(name)))
  return wrong === undefined ? valueProblem(images) : [wrong[0], wrongValue(wrong[1], "the name of an image")]
}
