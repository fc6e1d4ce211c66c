// Sentences to start with, each for a reason.

export const EXAMPLES = [
  { name: "The paper’s example", text: "She loves writing code ." },
  { name: "A telescope", text: "I saw the man with the telescope in the park near the old bank yesterday." },
  { name: "A garden path", text: "The old man the boats while the horse raced past the barn fell." },
  { name: "Decoders disagree", text: "Old teachers and students with dogs that bark and cats that meow or whatever walk." },
  { name: "Two sentences", text: "Time flies like an arrow. Fruit flies like a banana, and nobody knows why they do." },
];
