/** A date of the proleptic Gregorian calendar. */
export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

/**
 * Returns the date of a day, counted from 1970-01-01. The arithmetic is that of Howard Hinnant's civil_from_days: eras of
 * 400 years (146,097 days), and years that start in March.
 */
export const civilOf = (days: number): CivilDate => {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** Returns the days since 1970-01-01 of a date: the inverse of `civilOf`. Day and month may overflow. */
export const daysFromCivil = (year: number, month: number, day: number): number => {
  const years = year + Math.floor((month - 1) / 12)
  const monthOfYear = month - Math.floor((month - 1) / 12) * 12
  const marchYear = monthOfYear <= 2 ? years - 1 : years
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (monthOfYear > 2 ? monthOfYear - 3 : monthOfYear + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}
