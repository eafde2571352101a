/**
 * How many seats a priority level could use: integrated over time, and smoothed from one adjustment of the limits to the next.
 * Upstream: fairqueuing/integrator.go, seatDemandStats of apf_controller.go.
 */
export class SeatDemand {
  private value = 0
  private lastMs: number
  private seconds = 0
  private integral = 0
  private squares = 0
  private max = 0
  /** The most seats since the last adjustment. */
  highWatermark = 0
  average = 0
  deviation = 0
  smoothed = 0

  constructor(nowMs: number) {
    this.lastMs = nowMs
  }

  set(value: number, nowMs: number): void {
    this.integrate(nowMs)
    this.value = value
    if (value > this.max) this.max = value
  }

  /** Ends a period: its figures are what the members say until the next one ends. */
  adjust(nowMs: number): void {
    this.integrate(nowMs)
    this.highWatermark = this.max
    if (this.seconds > 0) {
      this.average = this.integral / this.seconds
      this.deviation = Math.sqrt(Math.max(0, this.squares / this.seconds - this.average ** 2))
      const envelope = this.average + this.deviation
      this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope)
    }
    this.seconds = 0
    this.integral = 0
    this.squares = 0
    this.max = this.value
  }

  private integrate(nowMs: number): void {
    const seconds = (nowMs - this.lastMs) / 1000
    if (seconds <= 0) return
    this.lastMs = nowMs
    this.seconds += seconds
    this.integral += seconds * this.value
    this.squares += seconds * this.value * this.value
  }
}

/** Upstream: seatDemandSmoothingCoefficient, a half-life of five minutes at one adjustment every ten seconds. */
const SMOOTHING = 0.977
