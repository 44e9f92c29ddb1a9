/** What one piece costs, in cents. */
export const prices = {
  apple: 40,
  bread: 350,
  cheese: 620,
}
