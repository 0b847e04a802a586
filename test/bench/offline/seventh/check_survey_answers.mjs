/** Checks the answers of a survey against its questions and reports the errors and the share of answers. */

function answerTo(response, id) {
  const found = response.answers.find((answer) => answer.question === id);
  return found === undefined || found.value === '' ? null : found.value;
}

function isAsked(question, response, questions) {
  if (question.showIf === undefined) {
    return true;
  }
  const other = questions.find((candidate) => candidate.id === question.showIf.question);
  if (other === undefined) {
    throw new Error(`Question ${question.id} depends on an unknown question`);
  }
  const value = answerTo(response, other.id);
  const chosen = Array.isArray(value) ? value : [value];
  return isAsked(other, response, questions) && chosen.includes(question.showIf.equals);
}

function valueError(question, value) {
  const options = question.options ?? [];
  switch (question.type) {
    case 'choice':
      return options.includes(value) ? null : 'not an option';
    case 'multiple': {
      if (!Array.isArray(value) || !value.every((item) => options.includes(item))) {
        return 'not a list of options';
      }
      const repeated = value.some((item, index) => value.indexOf(item) !== index);
      return repeated ? 'an option is repeated' : null;
    }
    case 'number':
      if (typeof value !== 'number') {
        return 'not a number';
      }
      return value < (question.min ?? -Infinity) || value > (question.max ?? Infinity) ? 'out of range' : null;
    case 'text':
      if (typeof value !== 'string') {
        return 'not a text';
      }
      return value.length > (question.max ?? 500) ? 'too long' : null;
    default:
      throw new Error(`Question ${question.id} has an unknown type`);
  }
}

function checkResponse(response, questions) {
  const errors = [];
  for (const question of questions) {
    const value = answerTo(response, question.id);
    const asked = isAsked(question, response, questions);
    if (value === null) {
      if (asked && question.required) {
        errors.push({ question: question.id, error: 'missing' });
      }
      continue;
    }
    const error = asked ? valueError(question, value) : 'was not asked';
    if (error !== null) {
      errors.push({ question: question.id, error });
    }
  }
  return errors;
}

export function checkSurveyAnswers(questions, responses) {
  const checked = responses.map((response) => ({
    respondent: response.respondent,
    errors: checkResponse(response, questions),
  }));
  const coverage = questions.map((question) => {
    const asked = responses.filter((response) => isAsked(question, response, questions));
    const answered = asked.filter((response) => answerTo(response, question.id) !== null);
    const percent = asked.length === 0 ? null : Math.round((answered.length / asked.length) * 100);
    return { question: question.id, asked: asked.length, percent };
  });
  return { invalid: checked.filter((entry) => entry.errors.length > 0), coverage };
}

export function inputs() {
  let state = 103;
  const pick = (count) => {
    state = (state * 16807) % 2147483647;
    return state % count;
  };
  const options = ['yes', 'no', 'rarely', 'often'];
  const value = (type) => {
    if (pick(30) === 0) {
      return 'unclear';
    }
    if (type === 'multiple') {
      return options.filter(() => pick(2) === 0);
    }
    return type === 'number' ? pick(12) : options[pick(4)];
  };
  const one = (questionCount, responseCount) => {
    const questions = Array.from({ length: questionCount }, (_, index) => {
      const type = ['choice', 'multiple', 'number', 'text'][index % 4];
      const question = { id: `q${index}`, type, required: pick(2) === 0 };
      if (type === 'choice' || type === 'multiple') {
        question.options = options;
      }
      if (type === 'number') {
        question.max = 10;
      }
      if (index > 0 && pick(3) === 0) {
        question.showIf = { question: `q${pick(Math.ceil(index / 4)) * 4}`, equals: options[pick(2)] };
      }
      return question;
    });
    const responses = Array.from({ length: responseCount }, (_, index) => ({
      respondent: `r${index}`,
      answers: questions.filter(() => pick(8) > 0).map(({ id, type }) => ({ question: id, value: value(type) })),
    }));
    return [questions, responses];
  };
  return [one(1, 1), one(5, 6), one(16, 40), one(40, 220)];
}
