// What a client connects to.

export type {
  CommandChannels,
  KubeletPorts,
  KubeletStream,
  StreamClient,
  StreamInput
} from "./KubeletStream.ts"
export { isPorts, isStream } from "./streamKinds.ts"

// The connection of a request that asks for another protocol.

export type { ChannelsRequest } from "./commands/channels.ts"
export { openChannels } from "./commands/channels.ts"
export { connectUpgrade } from "./connectUpgrade.ts"
export type { SpdyRefusal } from "./spdy/spdyConnection.ts"
export { offerUpgrade, takeConnection, type UpgradeConnection, upgradeOf } from "./upgrades.ts"

// WebSockets.

export { readInTurns, type TurnReader } from "./turns.ts"
export { agreeToLog, type LogAgreement, type LogChannel, sendLogOver } from "./webSocket/logChannel.ts"
export { closeSoon, handshakeOf, refuseHandshake } from "./webSocket/webSocket.ts"
export { closeCodes, closeFrame, FrameReader, frameOf, opcodes } from "./webSocket/webSocketFrames.ts"

// SPDY/3.1.

export { HeaderDecoder, HeaderEncoder, HeaderFault, type SpdyHeaders } from "./spdy/headerBlocks.ts"
export {
  type SpdyCarrier,
  SpdySession,
  type SpdySessionOptions,
  type SpdyStream,
  type SpdyStreamHandlers
} from "./spdy/SpdySession.ts"
export {
  type OpenedStream,
  type SpdyHandlers,
  SpdyReader,
  spdyFrames
} from "./spdy/spdyFrames.ts"
