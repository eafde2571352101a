import { badRequest, unknownError } from "@rollcall/api"
import {
  type ChannelsRequest,
  connectUpgrade,
  isPorts,
  isStream,
  takeConnection,
  type UpgradeConnection,
  upgradeOf
} from "@rollcall/streams"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { send, sendStatus } from "../call/respond.ts"
import { ADDRESS_NOT_ALLOWED, isRelayed, type KubeletAnswer, type KubeletReply } from "./proxy/KubeletTransport.ts"
import { NOT_ALLOWED } from "./proxy/proxyTarget.ts"
import { sendRelayedUpgrade, upgradeFailure } from "./proxy/relayedAnswers.ts"
import { sendKubeletAnswer } from "./proxy/sendKubeletAnswer.ts"

/*
 * What becomes of a client's connection that asks for another protocol. Upstream: apimachinery/pkg/util/proxy,
 * UpgradeAwareHandler.
 */

/** Returns what the parts of a connection need of its call. */
export const channelsRequest = (call: Call, upgrade: UpgradeConnection): ChannelsRequest => ({
  headers: call.request.headers,
  subprotocols: call.subprotocols,
  upgrade,
  answered: (code) => {
    takeConnection(call.response, upgrade)
    call.done(code)
  },
  sent: (length) => {
    call.sentBytes += length
  },
  guard: (act) => {
    let isDone = false
    call.guard(() => {
      act()
      isDone = true
    })
    // The response no longer has the connection that it would end.
    if (!isDone) upgrade.socket.destroy()
  }
})

/**
 * Sends what a kubelet has answered to a stream instead of agreeing to it. Upstream: apimachinery/pkg/util/proxy,
 * UpgradeAwareHandler.
 */
const sendRefusedStream = (call: Call, answer: KubeletAnswer) => {
  const { body, code } = answer
  if (isRelayed(body)) return sendRelayedUpgrade(call, undefined, answer)
  if (code === 101) return sendStatus(call, badRequest("Upgrade request required"))
  if (code < 400) return sendStatus(call, unknownError(`invalid upgrade response: status code ${code}`))
  sendKubeletAnswer(call, answer)
}

/** Connects a client to what its kubelet answered, or tells it why not. */
const connect = (
  call: Call,
  upgrade: UpgradeConnection,
  answer: KubeletAnswer,
  ports: ReadonlyArray<string> | undefined
) => {
  const { body, code } = answer
  if (isRelayed(body)) return sendRelayedUpgrade(call, upgrade, answer)
  if (code !== 101 || (!isStream(body) && !isPorts(body))) return sendRefusedStream(call, answer)
  const refusal = connectUpgrade(channelsRequest(call, upgrade), body, ports)
  if (refusal === undefined) return
  for (const [name, value] of Object.entries(refusal.headers)) call.response.setHeader(name, value)
  send(call, refusal.code, "text/plain; charset=utf-8", refusal.text)
}

/** Sends the answer to a request for another protocol; `ports` are those that the client names for its channels. */
export const sendUpgraded = (
  call: Call,
  answer: Parameters<KubeletReply>[0],
  ports: ReadonlyArray<string> | undefined
): void => {
  const upgrade = upgradeOf(call.request)
  if (Result.isFailure(answer)) {
    const { failure } = answer
    sendStatus(call, failure === ADDRESS_NOT_ALLOWED ? NOT_ALLOWED : unknownError(upgradeFailure(failure)))
  } else if (upgrade === undefined) sendRefusedStream(call, answer.success)
  else connect(call, upgrade, answer.success, ports)
}
