// Draws a report from the data embedded in the page. One function per kind of section; nothing is loaded.
'use strict';

const palette = ['#2f6fde', '#e07a1f', '#2e9e6b', '#c0392b', '#7d55c7', '#8a6d3b', '#d35d9b', '#5f6b7a', '#b5b02b', '#23a3b3'];

// What issue slots went to has the same colour on every page, and any other name the same on its own.
const slots = ['issued', 'fetch', 'memory data', 'memory queue', 'no warp', 'pipe busy', 'result', 'barrier', 'memory order', 'policy'];
const colours = new Map(slots.map((name, i) => [name, palette[i]]));
function colour(name) {
  if (!colours.has(name)) colours.set(name, palette[colours.size % palette.length]);
  return colours.get(name);
}

function element(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.appendChild(made);
  return made;
}

function shown(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return Math.abs(value) >= 1000 ? value.toLocaleString('en', { maximumFractionDigits: 0 }) : value.toPrecision(4);
}

// A label in lines of about so many characters.
function wrapped(text, width) {
  const made = [''];
  for (const word of text.split(' ')) {
    const last = made.length - 1;
    if (made[last] && made[last].length + word.length >= width) made.push(word);
    else made[last] += (made[last] ? ' ' : '') + word;
  }
  return made;
}

function isEmpty(section, parent) {
  if (section.series.some((series) => series.values.some((value) => value !== null))) return false;
  element('p', parent, 'Nothing to draw yet: no run has these values.', 'empty');
  return true;
}

function canvas(parent, height) {
  const box = element('div', parent, undefined, 'chart');
  if (height) box.style.height = height + 'px';
  return element('canvas', box);
}

function axes(section, extra) {
  return {
    x: { stacked: extra.stacked, grid: { display: false }, title: { display: !!section.x_title, text: section.x_title },
         type: extra.x_type, ticks: { autoSkip: extra.skip, maxRotation: extra.rotation } },
    y: { stacked: extra.stacked, beginAtZero: true, max: section.y_max, grace: section.y_max ? 0 : '5%',
         title: { display: true, text: section.y_title } },
  };
}

// How far the seeds are apart; nothing where there is one.
function spread(section, item) {
  const errors = section.series[item.datasetIndex].errors;
  return errors && errors[item.dataIndex] ? ` ± ${shown(errors[item.dataIndex])}` : '';
}

function options(section, extra) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false,
    interaction: { mode: extra.mode, intersect: false },
    scales: axes(section, extra),
    plugins: {
      legend: { position: 'top', display: section.series.length > 1, labels: { boxWidth: 14 }, title: { display: !!section.legend, text: section.legend } },
      tooltip: { callbacks: { title: extra.title, label: (item) => `${item.dataset.label}: ${shown(item.raw && item.raw.y !== undefined ? item.raw.y : item.raw)}${spread(section, item)}` } },
    },
  };
}

function bars(section, parent, stacked) {
  if (isEmpty(section, parent)) return;
  // A few groups have room for long names below them; many are turned.
  const few = section.groups.length <= 8;
  const data = {
    labels: few ? section.groups.map((name) => wrapped(name, 120 / section.groups.length)) : section.groups,
    datasets: section.series.map((series) => ({
      label: series.name, data: series.values, backgroundColor: colour(series.name), borderWidth: 0, maxBarThickness: 140,
    })),
  };
  const title = (items) => section.groups[items[0].dataIndex];
  const set = options(section, { stacked, mode: 'index', skip: false, x_type: 'category', rotation: few ? 0 : 60, title });
  new Chart(canvas(parent), { type: 'bar', data, options: set });
}

function lines(section, parent) {
  if (isEmpty(section, parent)) return;
  // A value is that of the interval which ends at its x; the first begins at 0.
  const points = (values) => [{ x: 0, y: values[0] }, ...section.x.map((x, k) => ({ x, y: values[k] }))];
  const data = {
    datasets: section.series.map((series, i) => ({
      label: series.name, data: points(series.values), borderColor: colour(series.name),
      backgroundColor: colour(series.name), fill: section.stacked ? (i === 0 ? 'origin' : '-1') : false,
      borderWidth: section.stacked ? 0 : 1.5, pointRadius: 0, pointHitRadius: 8, stepped: 'after',
    })),
  };
  const title = (items) => 'until cycle ' + shown(items[0].raw.x);
  const set = options(section, { stacked: !!section.stacked, mode: 'index', skip: true, x_type: 'linear', rotation: 0, title });
  set.scales.x.stacked = false;
  set.scales.x.max = section.x[section.x.length - 1];
  set.scales.x.min = 0;
  new Chart(canvas(parent, 300), { type: 'line', data, options: set });
}

function scatter(section, parent) {
  const all = section.series.flatMap((series) => series.points);
  if (all.length === 0) return;
  const values = all.flatMap((point) => [point.x, point.y]).filter((value) => value > 0);
  const ends = [Math.min(...values), Math.max(...values)];
  const data = {
    datasets: [
      ...section.series.map((series) => ({ label: series.name, data: series.points, backgroundColor: colour(series.name), pointRadius: 3 })),
      { label: 'equal', data: ends.map((value) => ({ x: value, y: value })), type: 'line', borderColor: '#888', borderWidth: 1, pointRadius: 0 },
    ],
  };
  const axis = (text) => ({ type: 'logarithmic', title: { display: true, text } });
  const label = (item) => `${item.raw.name || item.dataset.label}: ${shown(item.raw.x)}, ${shown(item.raw.y)}`;
  const set = {
    animation: false, responsive: true, maintainAspectRatio: false,
    scales: { x: axis(section.x_title), y: axis(section.y_title) },
    plugins: { legend: { position: 'top', labels: { boxWidth: 14 } }, tooltip: { callbacks: { label } } },
  };
  new Chart(canvas(parent, 520), { type: 'scatter', data, options: set });
}

function table(section, parent) {
  const box = element('div', parent, undefined, section.rows.length > 30 ? 'scroll long' : 'scroll');
  const made = element('table', box);
  const head = element('tr', element('thead', made));
  const body = element('tbody', made);
  const rows = section.rows.slice();
  let by = -1;
  let down = false;
  const draw = () => {
    body.replaceChildren();
    for (const row of rows) {
      const line = element('tr', body);
      row.forEach((value) => {
        const cell = element('td', line, shown(value), typeof value === 'number' ? 'number' : undefined);
        if (value === 'reproduced') cell.className = 'reproduced';
        if (value === 'same direction') cell.className = 'same';
        if (value === 'not reproduced') cell.className = 'not';
      });
    }
  };
  section.columns.forEach((name, column) => {
    const values = rows.map((row) => row[column]).filter((value) => value !== null);
    const isNumeric = values.length > 0 && values.every((value) => typeof value === 'number');
    const cell = element('th', head, name, isNumeric ? 'number' : undefined);
    cell.addEventListener('click', () => {
      down = by === column ? !down : false;
      by = column;
      for (const other of head.children) other.classList.remove('up', 'down');
      cell.classList.add(down ? 'down' : 'up');
      rows.sort((a, b) => {
        const x = a[column];
        const y = b[column];
        if (x === y) return 0;
        if (x === null) return 1;  // what has no value stays last
        if (y === null) return -1;
        const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true });
        return down ? -order : order;
      });
      draw();
    });
  });
  draw();
}

// Buttons that save texts as files.
function downloads(parent, title, files) {
  const box = element('p', parent, undefined, 'downloads');
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60) || 'figure';
  for (const [ending, type, text] of files) {
    const button = element('button', box, ending.toUpperCase());
    button.type = 'button';
    button.title = 'Save as ' + name + '.' + ending;
    button.addEventListener('click', () => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text()], { type }));
      link.download = name + '.' + ending;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
}

function csv(rows) {
  const field = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return rows.map((row) => row.map(field).join(',') + '\n').join('');
}

// The figure for papers, and the values behind what is shown.
function save(section, parent) {
  if (section.figure) {
    downloads(parent, section.title, [
      ['svg', 'image/svg+xml', () => section.figure.svg],
      ['pdf', 'application/pdf', () => section.figure.pdf],
      ['csv', 'text/csv', () => section.figure.csv],
    ]);
  } else if (section.kind === 'table') {
    downloads(parent, section.title, [['csv', 'text/csv', () => csv([section.columns, ...section.rows])]]);
  }
}

function draw(report) {
  document.title = report.title;
  element('h1', document.body, report.title);
  if (report.subtitle) element('p', document.body, report.subtitle, 'note');
  for (const section of report.sections) {
    let parent = document.body;
    if (section.folded) {
      parent = element('details', document.body);
      element('summary', parent, section.title);
    } else {
      element('h2', parent, section.title);
    }
    if (section.note) element('p', parent, section.note, 'note');
    if (section.kind === 'bars') bars(section, parent, false);
    if (section.kind === 'stack') bars(section, parent, true);
    if (section.kind === 'lines') lines(section, parent);
    if (section.kind === 'scatter') scatter(section, parent);
    if (section.kind === 'table') table(section, parent);
    if (section.kind === 'text') element('pre', parent, section.text);
    save(section, parent);
  }
}

draw(JSON.parse(document.getElementById('report').textContent));
