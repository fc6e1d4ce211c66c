// Sentences to start with, each for a reason.

export const EXAMPLES = [
  { name: "The paper’s example", text: "She loves writing code ." },
  { name: "A telescope", text: "I saw the man with the telescope in the park near the old bank yesterday." },
  { name: "A question", text: "Who do you think she said he saw with the telescope?" },
  { name: "A headline", text: "Police help dog bite victim after squad helps man flee." },
  { name: "Dialogue", text: "“I never said,” she whispered, “that you could leave.” He had gone." },
  { name: "A garden path", text: "The old man the boats while the horse raced past the barn fell." },
  { name: "Decoders disagree", text: "Rice flies like sand but time flies like an arrow and fruit flies like bananas in bowls on tables." },
];
