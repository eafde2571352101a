import { createHash } from "node:crypto"

/**
 * The queues that a flow may use: a hand dealt by the hash of its name, so that two flows seldom share all of them.
 * Upstream: apiserver/pkg/util/shufflesharding, and hashFlowID of apf_controller.go.
 */

export const hashOfFlow = (schema: string, distinguisher: string): bigint =>
  createHash("sha256").update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0)

/** `handSize` different numbers from 0 to `deckSize - 1`, in the order in which they are dealt. */
export const deal = (hash: bigint, deckSize: number, handSize: number): ReadonlyArray<number> => {
  const hand: Array<number> = []
  const remainders: Array<number> = []
  let rest = hash
  for (let index = 0; index < handSize; index++) {
    const left = BigInt(deckSize - index)
    remainders.push(Number(rest % left))
    rest /= left
  }
  for (let index = 0; index < handSize; index++) {
    let card = remainders[index] as number
    for (let before = index - 1; before >= 0; before--) if (card >= (remainders[before] as number)) card++
    hand.push(card)
  }
  return hand
}
