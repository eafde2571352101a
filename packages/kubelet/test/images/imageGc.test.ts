import { assert, describe, it } from "vitest"
import {
  detectImages,
  type ImageGcInputs,
  imageGcPass,
  noRecords,
  sizeText,
  unusedImages
} from "../../src/images/imageGc.ts"

const MINUTE = 60_000
const policy = { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 2 * MINUTE, maxAgeMs: 0 }
const images = (...names: ReadonlyArray<string>) => names.map((ref) => ({ ref, sizeBytes: 10 }))
const using = (...refs: ReadonlyArray<string>) => new Set(refs)

/** Five images, of which `d` was used lately, `c` before, and `pinned` stays; `e` has just come. */
const seen = () => {
  let records = detectImages(noRecords, images("a", "c", "d"), using("c", "d"), 0)
  records = detectImages(
    records,
    [...images("a", "b", "c", "d"), { ref: "pinned", sizeBytes: 10, isPinned: true }],
    using("d"),
    5 * MINUTE
  )
  return detectImages(
    records,
    [...images("a", "b", "c", "d", "e"), { ref: "pinned", sizeBytes: 10, isPinned: true }],
    using(),
    10 * MINUTE
  )
}

const pass = (given: Partial<ImageGcInputs>, availableBytes: number, capacityBytes = 100) =>
  imageGcPass({
    records: seen(),
    inUse: using(),
    policy,
    nowMs: 10 * MINUTE,
    beganMs: 0,
    disk: () => ({ availableBytes, capacityBytes }),
    ...given
  })

const refs = ({ removed }: { readonly removed: ReadonlyArray<{ readonly ref: string; readonly reason: string }> }) =>
  removed.map(({ reason, ref }) => `${ref} ${reason}`)

describe("a round of image garbage collection", () => {
  it("removes images from the high threshold on, down to the low one, the longest unused first", () => {
    assert.deepStrictEqual(refs(pass({}, 16)), [])
    assert.deepStrictEqual(refs(pass({}, 15)), ["a space"])
    assert.deepStrictEqual(refs(pass({}, 1)), ["a space", "b space"])
    assert.deepStrictEqual(refs(pass({ inUse: using("a", "b") }, 1)), ["c space", "d space"])
    assert.isUndefined(pass({}, 1).failure)
  })

  it("fails if what is unused and old enough does not suffice", () => {
    const { failure, left, removed } = pass({ inUse: using("a", "b", "c") }, 0, 100)
    assert.deepStrictEqual(refs({ removed }), ["d space"])
    assert.deepStrictEqual(left, ["e"])
    assert.deepStrictEqual(failure, {
      reason: "FreeDiskSpaceFailed",
      message:
        "Insufficient free disk space on the node's image filesystem (100% of 100 B used). Failed to free sufficient space by deleting unused images (freed 10 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data."
    })
    assert.deepStrictEqual(pass({}, 0, 0).failure, {
      reason: "InvalidDiskCapacity",
      message: "invalid capacity 0 on image filesystem"
    })
  })

  it("removes images that were unused for too long, once the kubelet has run for longer than that", () => {
    const aged = { ...policy, maxAgeMs: 6 * MINUTE }
    assert.deepStrictEqual(refs(pass({ policy: aged }, 50)), ["a age", "b age", "e age", "c age"])
    assert.deepStrictEqual(refs(pass({ policy: aged, beganMs: 4 * MINUTE }, 50)), [])
    assert.deepStrictEqual(refs(pass({ policy: { ...policy, maxAgeMs: 4 * MINUTE } }, 0)).at(-1), "d age")
  })

  it("removes all that are unused when the disk runs out", () => {
    assert.deepStrictEqual(refs(unusedImages(seen(), using("b"), policy, 10 * MINUTE)), [
      "a space",
      "c space",
      "d space"
    ])
  })

  it("tells sizes as upstream does", () => {
    assert.deepStrictEqual([1_023, 1_024, 5 * 2 ** 20, 100 * 2 ** 30, 3 * 2 ** 50].map(sizeText), [
      "1023 B",
      "1.0 KiB",
      "5.0 MiB",
      "100.0 GiB",
      "3072.0 TiB"
    ])
  })
})
